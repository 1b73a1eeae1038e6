//! The features of the page, each in a folder of its own: its state with the actions that change it, what it draws, and
//! its effects.

pub mod board;
pub mod builder;
pub mod case;
pub mod class;
pub mod compare;
pub mod course;
pub mod drain;
pub mod explain;
pub mod export;
pub mod finder;
pub mod fork;
pub mod gallery;
pub mod handout;
pub mod lesson;
pub mod opening;
pub mod presenter;
pub mod queue;
pub mod scheduler;
pub mod share;
pub mod sources;
pub mod stage;
pub mod terminal;
pub mod time;
pub mod what_if;
pub mod work;

//! Plain data exchanged between the engine and its front ends. No core type appears here.

pub mod apart;
pub mod command;
pub mod compare;
pub mod cycle;
pub mod device;
pub mod draft;
pub mod drain;
pub mod edit;
pub mod expectation;
pub mod fact;
pub mod fix;
pub mod frame;
pub mod gesture;
pub mod happening;
pub mod lesson;
pub mod link;
pub mod node_order;
pub mod page;
pub mod problem;
pub mod quantity;
pub mod remark;
pub mod rule;
pub mod scheduler;
pub mod sentence;
pub mod terminal;
pub mod why_not;

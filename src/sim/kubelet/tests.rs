mod admitting;
mod fixture;
mod lives;
mod memory;
mod probing;
mod scale;

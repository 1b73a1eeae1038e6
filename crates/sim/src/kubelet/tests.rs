mod admitting;
mod fixture;
mod lives;
mod memory;
mod plane;
mod probing;
mod scale;

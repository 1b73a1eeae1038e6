mod admitting;
mod fixture;
mod hooks;
mod lives;
mod memory;
mod plane;
mod probing;
mod scale;

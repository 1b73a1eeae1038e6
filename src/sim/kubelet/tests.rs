mod fixture;
mod lives;
mod probing;

// Runs something at the end of a block.
#pragma once

template <typename ReleaseFunc>
class Lock {
public:
    Lock(ReleaseFunc release) : release_(release) {}
    ~Lock() { release_(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    ReleaseFunc release_;
};

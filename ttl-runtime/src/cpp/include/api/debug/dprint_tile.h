// Part of printing.
#pragma once

#include "api/debug/dprint.h"

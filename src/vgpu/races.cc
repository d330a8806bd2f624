#include "vgpu/races.h"

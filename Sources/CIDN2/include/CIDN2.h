#ifndef CIDN2_h
#define CIDN2_h
#include <idn2.h>
#endif

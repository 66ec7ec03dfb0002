// The objects of libvips. Where libvips's own headers are found, too.
#pragma once
#include <glib-object.h>

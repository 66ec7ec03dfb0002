// little CMS: conversion of colors by ICC profiles.
#pragma once
#include <lcms2.h>

// Its own formats are macros that Swift can't read: bytes of gray, of red, green and blue, of these with an
// alpha, and of CMYK.
static inline cmsUInt32Number vitrine_lcms_gray(void) { return TYPE_GRAY_8; }
static inline cmsUInt32Number vitrine_lcms_rgb(void) { return TYPE_RGB_8; }
static inline cmsUInt32Number vitrine_lcms_rgba(void) { return TYPE_RGBA_8; }
static inline cmsUInt32Number vitrine_lcms_ink(void) { return TYPE_CMYK_8; }

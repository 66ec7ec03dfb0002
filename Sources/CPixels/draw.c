#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pixels.h"

static uint8_t *pixelAt(pixels_canvas c, int x, int y) {
    return c.rgb + ((size_t)y * c.width + x) * 3;
}

static uint8_t rounded(float v) { return v <= 0 ? 0 : v >= 255 ? 255 : (uint8_t)(v + 0.5f); }

static void paintPixel(uint8_t *p, pixels_paint paint, float coverage) {
    float a = paint.alpha * coverage;
    p[0] = rounded(p[0] + (paint.red - p[0]) * a);
    p[1] = rounded(p[1] + (paint.green - p[1]) * a);
    p[2] = rounded(p[2] + (paint.blue - p[2]) * a);
}

static int clampInt(double v, int low, int high) {
    return !(v > low) ? low : v > high ? high : (int)v;
}

void pixels_fill(pixels_canvas c, pixels_paint paint) {
    for (int y = 0; y < c.height; y++)
        for (int x = 0; x < c.width; x++) paintPixel(pixelAt(c, x, y), paint, 1);
}

// --- gradients ----------------------------------------------------------------------------------

static void colorAt(const float *stops, int count, float t, float *color) {
    const float *next = stops;
    int i = 0;
    while (i < count - 1 && t > next[0]) next += 4, i++;
    const float *last = i > 0 ? next - 4 : next;
    float gap = next[0] - last[0], part = gap > 0 ? (t - last[0]) / gap : 1;
    if (part < 0) part = 0;
    if (part > 1) part = 1;
    for (int b = 0; b < 3; b++) color[b] = last[1 + b] + (next[1 + b] - last[1 + b]) * part;
}

// Half a step up or down in a fixed 4 × 4 pattern hides the steps of a wide, dark gradient.
static const float dither[4][4] = {{-0.47f, 0.03f, -0.34f, 0.16f},
                                   {0.28f, -0.22f, 0.41f, -0.09f},
                                   {-0.28f, 0.22f, -0.41f, 0.09f},
                                   {0.47f, -0.03f, 0.34f, -0.16f}};

void pixels_gradient(pixels_canvas c, const float *stops, int count, double dx, double dy) {
    enum { steps = 1024 };
    if (count < 1) return;
    float *table = malloc(sizeof(float) * 3 * (steps + 1));
    if (!table) return;
    for (int i = 0; i <= steps; i++) colorAt(stops, count, (float)i / steps, table + 3 * i);
    // The corners furthest back and ahead in the gradient's direction are its two ends.
    double length = fabs(dx) * c.width + fabs(dy) * c.height;
    double begin = (dx < 0 ? dx * c.width : 0) + (dy < 0 ? dy * c.height : 0);
    for (int y = 0; y < c.height; y++) {
        uint8_t *p = pixelAt(c, 0, y);
        for (int x = 0; x < c.width; x++, p += 3) {
            double t = ((x + 0.5) * dx + (y + 0.5) * dy - begin) / length;
            const float *color = table + 3 * clampInt(t * steps + 0.5, 0, steps);
            for (int b = 0; b < 3; b++) p[b] = rounded(color[b] + dither[y & 3][x & 3]);
        }
    }
    free(table);
}

// --- polygons -----------------------------------------------------------------------------------

// Signed areas: each cell holds by how much its own and all later pixels of the row are more covered
// than the ones before, so that a running sum over the row gives exact coverage.
typedef struct {
    float *cells;
    int left, top, width, height;
} coverage;

// A piece of an edge within one row, from (x0, ·) to (x1, ·), `dy` high and signed.
static void addPiece(float *row, int width, double x0, double x1, double dy) {
    if (x0 > x1) {
        double swap = x0;
        x0 = x1;
        x1 = swap;
    }
    if (x1 <= 0) {
        row[0] += (float)dy;
        return;
    }
    if (x0 >= width) return;
    if (x0 < 0) {
        double part = -x0 / (x1 - x0);
        row[0] += (float)(dy * part);
        dy -= dy * part;
        x0 = 0;
    }
    double slope = x1 > x0 ? dy / (x1 - x0) : 0;
    for (int x = (int)x0; x < width; x++) {
        double from = x0 > x ? x0 : x, to = x1 < x + 1 ? x1 : x + 1;
        double rise = x1 > x0 ? slope * (to - from) : dy;
        double covered = rise * (x + 1 - (from + to) / 2);
        row[x] += (float)covered;
        row[x + 1] += (float)(rise - covered);
        if (x1 <= x + 1) return;
    }
}

static void addEdge(coverage *area, double x0, double y0, double x1, double y1) {
    double sign = 1;
    if (y0 > y1) {
        double x = x0, y = y0;
        x0 = x1, y0 = y1, x1 = x, y1 = y;
        sign = -1;
    }
    if (y0 == y1 || y1 <= 0 || y0 >= area->height) return;
    double slope = (x1 - x0) / (y1 - y0);
    int last = clampInt(ceil(y1), 0, area->height);
    for (int y = clampInt(floor(y0), 0, area->height); y < last; y++) {
        double from = y0 > y ? y0 : y, to = y1 < y + 1 ? y1 : y + 1;
        if (to <= from) continue;
        addPiece(area->cells + (size_t)y * (area->width + 2), area->width, x0 + (from - y0) * slope,
                 x0 + (to - y0) * slope, sign * (to - from));
    }
}

int pixels_polygon(pixels_canvas c, const double *points, int count, pixels_paint paint) {
    if (count < 3) return 0;
    double left = points[0], right = left, top = points[1], bottom = top;
    for (int i = 0; i < count; i++) {
        double x = points[2 * i], y = points[2 * i + 1];
        if (!isfinite(x) || !isfinite(y)) return 0;
        left = fmin(left, x), right = fmax(right, x), top = fmin(top, y), bottom = fmax(bottom, y);
    }
    coverage area = {.left = clampInt(floor(left), 0, c.width),
                     .top = clampInt(floor(top), 0, c.height)};
    area.width = clampInt(ceil(right), 0, c.width) - area.left;
    area.height = clampInt(ceil(bottom), 0, c.height) - area.top;
    if (area.width <= 0 || area.height <= 0) return 0;
    area.cells = calloc((size_t)(area.width + 2) * area.height, sizeof(float));
    if (!area.cells) return -1;
    for (int i = 0; i < count; i++) {
        const double *a = points + 2 * i, *b = points + 2 * ((i + 1) % count);
        addEdge(&area, a[0] - area.left, a[1] - area.top, b[0] - area.left, b[1] - area.top);
    }
    for (int y = 0; y < area.height; y++) {
        const float *cells = area.cells + (size_t)y * (area.width + 2);
        uint8_t *p = pixelAt(c, area.left, area.top + y);
        float sum = 0;
        for (int x = 0; x < area.width; x++, p += 3) {
            sum += cells[x];
            float covered = fabsf(sum);
            if (covered > 0.002f) paintPixel(p, paint, covered < 1 ? covered : 1);
        }
    }
    free(area.cells);
    return 0;
}

// --- pictures -----------------------------------------------------------------------------------

void pixels_blend(pixels_canvas c, const uint8_t *rgb, int width, int height, int x, int y,
                  float alpha) {
    for (int row = y < 0 ? -y : 0; row < height && y + row < c.height; row++)
        for (int column = x < 0 ? -x : 0; column < width && x + column < c.width; column++) {
            const uint8_t *p = rgb + ((size_t)row * width + column) * 3;
            paintPixel(pixelAt(c, x + column, y + row), (pixels_paint){p[0], p[1], p[2], alpha}, 1);
        }
}

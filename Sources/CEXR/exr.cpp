#include "exr.h"

#include <ImfIO.h>
#include <ImfRgba.h>
#include <ImfRgbaFile.h>

#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <vector>

static_assert(sizeof(Imf::Rgba) == 4 * sizeof(uint16_t), "a pixel is four halves");

namespace {

// Bytes that somebody else keeps, as a stream. Memory-mapped in OpenEXR's words: parts of the file
// are used where they lie.
class MemoryStream : public Imf::IStream {
public:
    MemoryStream(const uint8_t *bytes, size_t count)
        : Imf::IStream("picture"), bytes(reinterpret_cast<const char *>(bytes)), count(count) {}

    bool read(char to[], int wanted) override {
        take(to, wanted);
        return position < count;
    }

    uint64_t tellg() override { return position; }

    void seekg(uint64_t to) override {
        // OpenEXR asks for what the file says, wherever that is.
        position = to < count ? to : count;
    }

private:
    void take(char to[], int wanted) {
        if (wanted < 0 || static_cast<uint64_t>(wanted) > count - position)
            throw std::runtime_error("the file ends too early");
        std::memcpy(to, bytes + position, static_cast<size_t>(wanted));
        position += static_cast<uint64_t>(wanted);
    }

    const char *bytes;
    uint64_t count;
    uint64_t position = 0;
};

void say(char *message, size_t size, const char *words) {
    if (size == 0) return;
    std::strncpy(message, words, size - 1);
    message[size - 1] = 0;
}

}  // namespace

struct exr_picture {
    MemoryStream stream;
    Imf::RgbaInputFile file;
    std::vector<Imf::Rgba> line;

    exr_picture(const uint8_t *bytes, size_t count)
        // No threads of OpenEXR's own: a picture is one thread's work.
        : stream(bytes, count), file(stream, 0) {}

    int64_t width() const {
        const auto &window = file.dataWindow();
        return int64_t(window.max.x) - window.min.x + 1;
    }

    int64_t height() const {
        const auto &window = file.dataWindow();
        return int64_t(window.max.y) - window.min.y + 1;
    }
};

exr_picture *exr_open(const uint8_t *bytes, size_t count, char *message, size_t message_size) {
    try {
        auto *picture = new exr_picture(bytes, count);
        const auto channels = picture->file.channels();
        const char *fault = nullptr;
        if (!(channels & (Imf::WRITE_RGB | Imf::WRITE_Y))) fault = "it has no colours";
        if (!picture->file.isComplete()) fault = "it ends too early";
        if (picture->width() > INT32_MAX || picture->height() > INT32_MAX) fault = "it is too large";
        if (fault) {
            delete picture;
            say(message, message_size, fault);
            return nullptr;
        }
        picture->line.resize(static_cast<size_t>(picture->width()));
        return picture;
    } catch (const std::exception &error) {
        say(message, message_size, error.what());
    } catch (...) {
        say(message, message_size, "OpenEXR can't read it");
    }
    return nullptr;
}

void exr_close(exr_picture *picture) { delete picture; }

int32_t exr_width(const exr_picture *picture) { return int32_t(picture->width()); }

int32_t exr_height(const exr_picture *picture) { return int32_t(picture->height()); }

int32_t exr_has_alpha(const exr_picture *picture) {
    return (picture->file.channels() & Imf::WRITE_A) ? 1 : 0;
}

int32_t exr_read_row(
    exr_picture *picture, int32_t row, uint16_t *halves, char *message, size_t message_size) {
    try {
        const auto &window = picture->file.dataWindow();
        const int line = window.min.y + row;
        // Where pixel (0, 0) would be: the library counts from there, not from the window's corner.
        auto *base = reinterpret_cast<char *>(picture->line.data())
                     - int64_t(window.min.x) * int64_t(sizeof(Imf::Rgba));
        picture->file.setFrameBuffer(reinterpret_cast<Imf::Rgba *>(base), 1, 0);
        picture->file.readPixels(line);
        std::memcpy(halves, picture->line.data(), picture->line.size() * sizeof(Imf::Rgba));
        return 0;
    } catch (const std::exception &error) {
        say(message, message_size, error.what());
    } catch (...) {
        say(message, message_size, "OpenEXR can't read it");
    }
    return -1;
}

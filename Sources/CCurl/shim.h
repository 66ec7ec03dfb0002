#pragma once
#include <curl/curl.h>
// Headers for driving libcurl's sockets. Swift's Glibc module doesn't include them.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#if LIBCURL_VERSION_NUM < 0x075800
#error "Vitrine needs libcurl 7.88 or newer"
#endif

// Swift can't call variadic C functions, so each argument type has its own wrapper.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value)
{
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value)
{
    return curl_easy_setopt(easy, option, value);
}

// libcurl copies the string.
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value)
{
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value)
{
    return curl_easy_setopt(easy, option, value);
}

// libcurl keeps the list's address, so the list must live as long as the transfer.
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value)
{
    return curl_easy_setopt(easy, option, value);
}

// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
static inline CURLcode ccurl_set_write(CURL *easy, CURLoption option, curl_write_callback value)
{
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_open_socket(CURL *easy, curl_opensocket_callback value)
{
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode ccurl_set_prerequest(CURL *easy, curl_prereq_callback value)
{
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value)
{
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value)
{
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_private(CURL *easy, void **value)
{
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value)
{
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_socket(
    CURLM *multi, curl_socket_callback value, void *context)
{
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return code ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode ccurl_multi_set_timer(
    CURLM *multi, curl_multi_timer_callback value, void *context)
{
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code ? code : curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

// Stores the result of the next finished transfer and returns its handle, or NULL if none is left.
static inline CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return 0;
}

static inline const curl_version_info_data *ccurl_version(void)
{
    return curl_version_info(CURLVERSION_NOW);
}

#pragma once
#include <nats/nats.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if NATS_VERSION_MAJOR < 3 || (NATS_VERSION_MAJOR == 3 && NATS_VERSION_MINOR < 4)
#error "Vitrine needs libnats 3.4 or newer"
#endif

// Error codes of JetStream's API that decide what to do next.
enum {
    vitrine_nats_no_peers = 10005,      // Too few servers for that many replicas just now.
    vitrine_nats_not_clustered = 10074, // A single server has no replicas.
};

// Connects, and keeps the connection for ever. Blocks for a few seconds at most.
static inline natsStatus vitrine_nats_connect(
    natsConnection **connection, const char **servers, int count, const char *user,
    const char *password, const char *credentials, const char *name)
{
    natsOptions *options = NULL;
    natsStatus status = natsOptions_Create(&options);
    if (status == NATS_OK) status = natsOptions_SetServers(options, servers, count);
    if (status == NATS_OK) status = natsOptions_SetName(options, name);
    if (status == NATS_OK) status = natsOptions_SetTimeout(options, 2000);
    if (status == NATS_OK) status = natsOptions_SetMaxReconnect(options, -1);
    if (status == NATS_OK) status = natsOptions_SetReconnectWait(options, 100);
    if (status == NATS_OK) status = natsOptions_SetReconnectJitter(options, 50, 50);
    // A server that hangs is noticed within four seconds.
    if (status == NATS_OK) status = natsOptions_SetPingInterval(options, 1000);
    if (status == NATS_OK) status = natsOptions_SetMaxPingsOut(options, 3);
    // Callers try again by themselves; until then they don't wait for a server that is gone.
    if (status == NATS_OK) status = natsOptions_SetFailRequestsOnDisconnect(options, true);
    if (status == NATS_OK && user != NULL)
        status = natsOptions_SetUserInfo(options, user, password);
    if (status == NATS_OK && credentials != NULL)
        status = natsOptions_SetUserCredentialsFromFiles(options, credentials, NULL);
    if (status == NATS_OK) status = natsConnection_Connect(connection, options);
    natsOptions_Destroy(options);
    return status;
}

// The number of servers that the connection knows of.
static inline int vitrine_nats_servers(natsConnection *connection)
{
    char **servers = NULL;
    int count = 0;
    if (natsConnection_GetServers(connection, &servers, &count) != NATS_OK) return 0;
    for (int i = 0; i < count; i++) free(servers[i]);
    free(servers);
    return count;
}

// Creates a stream, or does nothing if there is one with the same settings. Times in nanoseconds.
static inline natsStatus vitrine_nats_add_stream(
    jsCtx *js, const char *name, const char *subject, bool isWorkQueue, int replicas,
    int64_t maxAge, int64_t duplicates, jsErrCode *code)
{
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    const char *subjects[] = {subject};
    config.Name = name;
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Retention = isWorkQueue ? js_WorkQueuePolicy : js_LimitsPolicy;
    config.Storage = js_FileStorage;
    config.Replicas = replicas;
    config.MaxAge = maxAge;
    config.Duplicates = duplicates;
    return js_AddStream(NULL, js, &config, NULL, code);
}

typedef struct {
    uint64_t messages, first, last;
    int64_t firstTime; // nanoseconds since 1970; of the oldest message
    int64_t created;
    int64_t replicas;
} vitrine_nats_stream_state;

static inline natsStatus vitrine_nats_get_stream(
    jsCtx *js, const char *name, vitrine_nats_stream_state *state, jsErrCode *code)
{
    jsStreamInfo *info = NULL;
    natsStatus status = js_GetStreamInfo(&info, js, name, NULL, code);
    if (status != NATS_OK) return status;
    state->messages = info->State.Msgs;
    state->first = info->State.FirstSeq;
    state->last = info->State.LastSeq;
    state->firstTime = info->State.FirstTime;
    state->created = info->Created;
    state->replicas = info->Config->Replicas;
    jsStreamInfo_Destroy(info);
    return NATS_OK;
}

// Creates a durable pull consumer with acknowledgments, or does nothing if there is one.
static inline natsStatus vitrine_nats_add_consumer(
    jsCtx *js, const char *stream, const char *name, const char *filter, int64_t ackWait,
    int64_t maxAckPending, jsErrCode *code)
{
    jsConsumerConfig config;
    jsConsumerConfig_Init(&config);
    config.Durable = name;
    config.FilterSubject = filter;
    config.AckPolicy = js_AckExplicit;
    config.AckWait = ackWait;
    // Deliveries are counted by the workers, which say why they give up. Messages that the server
    // stops delivering stay in the stream for ever.
    config.MaxDeliver = -1;
    config.MaxAckPending = maxAckPending;
    return js_AddConsumer(NULL, js, stream, &config, NULL, code);
}

typedef struct {
    uint64_t waiting;
    int64_t leased, redelivered;
} vitrine_nats_consumer_state;

static inline natsStatus vitrine_nats_get_consumer(
    jsCtx *js, const char *stream, const char *name, vitrine_nats_consumer_state *state,
    jsErrCode *code)
{
    jsConsumerInfo *info = NULL;
    natsStatus status = js_GetConsumerInfo(&info, js, stream, name, NULL, code);
    if (status != NATS_OK) return status;
    state->waiting = info->NumPending;
    state->leased = info->NumAckPending;
    state->redelivered = info->NumRedelivered;
    jsConsumerInfo_Destroy(info);
    return NATS_OK;
}

// The status of a message from the server itself, such as 404 for "no messages"; 0 for a job.
static inline int vitrine_nats_status(natsMsg *message)
{
    const char *status = NULL;
    if (natsMsgHeader_Get(message, "Status", &status) != NATS_OK || status == NULL) return 0;
    return atoi(status);
}

// Publishes and waits for the stream's answer. `id` may be NULL; `milliseconds` is the limit.
static inline natsStatus vitrine_nats_publish(
    jsCtx *js, const char *subject, const void *bytes, int count, const char *id,
    int64_t milliseconds, uint64_t *sequence, bool *isDuplicate, jsErrCode *code)
{
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MsgId = id;
    options.MaxWait = milliseconds;
    jsPubAck *ack = NULL;
    natsStatus status = js_Publish(&ack, js, subject, bytes, count, &options, code);
    if (status != NATS_OK) return status;
    *sequence = ack->Sequence;
    *isDuplicate = ack->Duplicate;
    jsPubAck_Destroy(ack);
    return NATS_OK;
}

// Opens a bucket of values, and creates it if it is missing. Values expire after `ttl` nanoseconds.
static inline natsStatus vitrine_nats_bucket(
    kvStore **store, jsCtx *js, const char *name, int64_t ttl, int replicas)
{
    natsStatus status = js_KeyValue(store, js, name);
    if (status == NATS_OK) return status;
    kvConfig config;
    kvConfig_Init(&config);
    config.Bucket = name;
    config.History = 1;
    config.TTL = ttl;
    config.Replicas = replicas;
    return js_CreateKeyValue(store, js, &config);
}

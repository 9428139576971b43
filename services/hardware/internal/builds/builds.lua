-- Keeps a build under its id if ARGV[4] is not empty, and returns the one that is kept, else false.
-- Either way it counts as used now. Those unused for too long, and the least recently used of too
-- many, are removed.
-- KEYS: builds by id, ids by last use. ARGV: id, lifetime (s), most builds, build
local id, most, build = ARGV[1], tonumber(ARGV[3]), ARGV[4]
local now = tonumber(redis.call('TIME')[1])
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. now - ARGV[2])) do
  redis.call('HDEL', KEYS[1], old)
  redis.call('ZREM', KEYS[2], old)
end
if build ~= '' then
  redis.call('HSET', KEYS[1], id, build)
end
local kept = redis.call('HGET', KEYS[1], id)
if kept then
  redis.call('ZADD', KEYS[2], now, id)
end
local extra = redis.call('ZCARD', KEYS[2]) - most
if extra > 0 then
  for _, old in ipairs(redis.call('ZRANGE', KEYS[2], 0, extra - 1)) do
    redis.call('HDEL', KEYS[1], old)
    redis.call('ZREM', KEYS[2], old)
  end
end
return kept

-- Reserves the next slot of a key, see pace.Clock. All times are in microseconds.
-- KEYS[1] hash: the last slot, the widest interval lately and when it was given, and the epoch, which
-- is another one after the data were lost
-- ARGV: interval, burst, for how long an interval counts. Returns how long to wait, and the epoch.
local t = redis.call('TIME')
local now, interval = t[1] * 1000000 + t[2], tonumber(ARGV[1])
local kept = redis.call('HMGET', KEYS[1], 'last', 'widest', 'given', 'epoch')
local last, widest, given = tonumber(kept[1] or now), tonumber(kept[2] or 0), tonumber(kept[3] or 0)
if interval >= widest or now - given > tonumber(ARGV[3]) then widest, given = interval, now end
if last - now > 1000 * widest then last = now end -- the clock was set back
last = math.max(last, now - tonumber(ARGV[2]) * widest) + widest
local function text(n) return string.format('%.0f', n) end
local epoch = kept[4] or text(now)
redis.call('HSET', KEYS[1], 'last', text(last), 'widest', text(widest), 'given', text(given), 'epoch', epoch)
redis.call('EXPIRE', KEYS[1], 86400)
return {text(math.max(last - now, 0)), epoch}

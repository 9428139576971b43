-- Finds an answer, or claims the look-up of it.
-- KEYS[1] answer, KEYS[2] claim; ARGV[1] owner, ARGV[2] lease and ARGV[3] rest in
-- milliseconds: an answer that expires within rest counts as none
-- Returns the answer, or 1 when the claim is the owner's, or 0 when another's.
local answer = redis.call('GET', KEYS[1])
if answer and (ARGV[3] == '0' or redis.call('PTTL', KEYS[1]) > tonumber(ARGV[3])) then return answer end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return redis.call('GET', KEYS[2]) == ARGV[1] and 1 or 0

import { scheduleAt } from '../../shared/time/scheduleAt';
import { accepted, now, rejected } from './scheduleCases';

// Runs in a separate process, because a process keeps the time zone (TZ) of its start.
const responses = [...accepted, ...rejected].map(([when, options]) => scheduleAt(when, { now, ...options }));
const hostOffsets = [0, 6].map((month) => new Date(2027, month, 1).getTimezoneOffset());
console.log(JSON.stringify({ hostOffsets, schedules: responses }));

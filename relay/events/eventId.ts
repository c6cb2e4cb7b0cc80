import { randomBytes } from 'node:crypto';

/** Makes an event ID: `evt_` and a UUID of version 7 (RFC 9562) in hex, which sorts by time. */
export function eventId(now: Date): string {
	const bytes = randomBytes(16);
	bytes.writeUIntBE(now.getTime(), 0, 6);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return `evt_${bytes.toString('hex')}`;
}

import { abortableSleep, responseTo } from '../../nodes/MessagingService/host/transport';
import { TransportError, type HttpRequest } from '../../shared';

const request: HttpRequest = { method: 'GET', url: 'http://127.0.0.1/', headers: {}, timeoutMs: 50 };
const failing = (error: Error) => responseTo(request, Promise.reject(error));

/** An error of n8n's HTTP client, as n8n wraps it. */
const wrapped = (cause: Record<string, unknown>) =>
	Object.assign(new Error('The service failed'), { cause: Object.assign(new Error(String(cause.message)), cause) });

describe('responseTo', () => {
	it('limits the whole request, even if the response is slow', async () => {
		await expect(responseTo(request, new Promise(() => undefined))).rejects.toMatchObject({
			left: 'maybe',
			code: 'TIMEOUT',
		});
	});

	it('returns header names in lower case and the body as text', async () => {
		const full = { statusCode: 200, headers: { 'X-Name': ['a', 'b'], other: 1 }, body: { parsed: true } };
		expect(await responseTo(request, Promise.resolve(full))).toEqual({
			status: 200,
			headers: { 'x-name': 'a', other: '1' },
			body: '{"parsed":true}',
		});
	});

	it.each([
		[{ code: 'ECONNREFUSED', syscall: 'connect', message: 'connect ECONNREFUSED' }, 'no'],
		[{ code: 'ENOTFOUND', syscall: 'getaddrinfo', message: 'getaddrinfo ENOTFOUND x' }, 'no'],
		[{ code: 'ETIMEDOUT', syscall: 'connect', message: 'connect ETIMEDOUT' }, 'no'],
		[{ code: 'ETIMEDOUT', syscall: 'read', message: 'read ETIMEDOUT' }, 'maybe'],
		[{ code: 'EHOSTUNREACH', syscall: 'write', message: 'write EHOSTUNREACH' }, 'maybe'],
		[{ code: 'ECONNRESET', syscall: 'read', message: 'read ECONNRESET' }, 'maybe'],
		[{ code: 'ECONNABORTED', message: 'timeout of 50ms exceeded' }, 'maybe'],
		[{ code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' }, 'no'],
		[{ code: 'EPROTO', syscall: 'write', message: 'SSL routines:ssl3_get_record:wrong version number' }, 'maybe'],
		[{ code: 'EPROTO', syscall: 'write', message: 'SSL routines:ssl3_read_bytes:sslv3 alert bad record mac' }, 'maybe'],
		[{ message: 'something else' }, 'maybe'],
	])('reads from %j whether the request may have left: %s', async (cause, left) => {
		await expect(failing(wrapped(cause))).rejects.toMatchObject({ left, aborted: false });
	});

	it("reports n8n's own block of an internal address as certainly not sent", async () => {
		class SsrfBlockedIpError extends Error {}
		await expect(failing(wrapped({ message: 'x' }))).rejects.toMatchObject({ left: 'maybe' });
		await expect(
			failing(Object.assign(new Error('y'), { cause: new SsrfBlockedIpError('blocked') })),
		).rejects.toMatchObject({ left: 'no', message: 'blocked' });
	});

	it('distinguishes a canceled call from a failed one', async () => {
		const cancelled = { ...request, signal: AbortSignal.abort() };
		await expect(responseTo(cancelled, Promise.reject(new Error('canceled')))).rejects.toMatchObject({
			left: 'maybe',
			aborted: true,
		});
	});
});

describe('abortableSleep', () => {
	/** Longer than a test may take. */
	const HOUR = 3_600_000;

	it('ends at once if it is canceled before or during the sleep', async () => {
		const during = new AbortController();
		const sleeping = abortableSleep(HOUR, during.signal);
		during.abort();
		await expect(sleeping).rejects.toBeInstanceOf(TransportError);
		await expect(abortableSleep(HOUR, AbortSignal.abort())).rejects.toBeInstanceOf(TransportError);
	});

	it.each([
		['without a signal', undefined],
		['with a signal that is not aborted', new AbortController().signal],
	])('sleeps for the whole time %s', async (_, signal) => {
		jest.useFakeTimers();
		try {
			const woke = jest.fn();
			const sleeping = abortableSleep(1_000, signal).then(woke);
			await jest.advanceTimersByTimeAsync(999);
			expect(woke).not.toHaveBeenCalled();
			await jest.advanceTimersByTimeAsync(1);
			expect(woke).toHaveBeenCalled();
			await sleeping;
		} finally {
			jest.useRealTimers();
		}
	});
});

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import promises from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';

/**
 * A clock that a test moves, in a process that is started with `--import`. The file TEST_CLOCK has `{ passed, moved }` in
 * milliseconds: the extra time, also for timers, and the change of the wall clock alone. SIGUSR2 asks the process to
 * read it again. The file with `.done` at its end repeats it.
 */
const file = process.env.TEST_CLOCK ?? '';
const RealDate = Date;
const real = { setTimeout, clearTimeout, clearInterval };
let passed = 0;
let moved = 0;

const wallNow = () => RealDate.now() + passed + moved;
const realNow = performance.now.bind(performance);
const timerNow = () => realNow() + passed;
performance.now = timerNow;

globalThis.Date = new Proxy(RealDate, {
	construct: (target, args) => Reflect.construct(target, args.length === 0 ? [wallNow()] : args),
	get: (target, name) => (name === 'now' ? wallNow : Reflect.get(target, name)),
});

/** @type {Set<TestTimer>} */
const waiting = new Set();

class TestTimer {
	/** @type {NodeJS.Timeout | undefined} */
	#native;
	#isRef = true;
	#due = 0;

	/**
	 * @param {() => void} callback
	 * @param {number | undefined} ms
	 * @param {boolean} repeats
	 */
	constructor(callback, ms, repeats) {
		this.callback = callback;
		this.ms = Math.max(1, Number(ms) || 0);
		this.repeats = repeats;
		this.refresh();
	}

	/** Waits for the rest of its time. */
	arm() {
		real.clearTimeout(this.#native);
		this.#native = real.setTimeout(() => this.#fire(), Math.max(0, this.#due - timerNow()));
		if (!this.#isRef) this.#native.unref();
	}

	#fire() {
		if (this.repeats) this.refresh();
		else this.close();
		this.callback();
	}

	refresh() {
		this.#due = timerNow() + this.ms;
		waiting.add(this);
		this.arm();
		return this;
	}

	close() {
		waiting.delete(this);
		real.clearTimeout(this.#native);
		return this;
	}

	ref() {
		this.#isRef = true;
		this.#native?.ref();
		return this;
	}

	unref() {
		this.#isRef = false;
		this.#native?.unref();
		return this;
	}

	hasRef() {
		return this.#isRef;
	}
}

/** @typedef {(...args: unknown[]) => void} Callback */

/** @param {TestTimer | NodeJS.Timeout | undefined} timer */
const clear = (timer) => {
	if (timer instanceof TestTimer) timer.close();
	else real.clearTimeout(timer);
};
const replaced = {
	/** @type {(callback: Callback, ms?: number, ...args: unknown[]) => TestTimer} */
	setTimeout: (callback, ms, ...args) => new TestTimer(() => callback(...args), ms, false),
	/** @type {(callback: Callback, ms?: number, ...args: unknown[]) => TestTimer} */
	setInterval: (callback, ms, ...args) => new TestTimer(() => callback(...args), ms, true),
	clearTimeout: clear,
	clearInterval: clear,
};
Object.assign(globalThis, replaced);
Object.assign(timers, replaced);
/** @type {(ms?: number, value?: any, options?: import('node:timers').TimerOptions) => Promise<any>} */
const wait = async (ms, value, { signal, ref = true } = {}) =>
	await new Promise((resolve, reject) => {
		signal?.throwIfAborted();
		const stop = () => {
			timer.close();
			reject(new DOMException('The wait was aborted', 'AbortError'));
		};
		const timer = new TestTimer(
			() => {
				signal?.removeEventListener('abort', stop);
				resolve(value);
			},
			ms,
			false,
		);
		if (!ref) timer.unref();
		signal?.addEventListener('abort', stop, { once: true });
	});
Object.assign(promises, { setTimeout: wait });
syncBuiltinESMExports();

if (isMainThread) {
	// The clock of the machine stays where it was moved when a process starts again.
	if (existsSync(file)) ({ passed, moved } = JSON.parse(readFileSync(file, 'utf8')));
	process.on('SIGUSR2', () => {
		const text = readFileSync(file, 'utf8');
		({ passed, moved } = JSON.parse(text));
		for (const timer of [...waiting]) timer.arm();
		writeFileSync(`${file}.done`, text);
	});
}

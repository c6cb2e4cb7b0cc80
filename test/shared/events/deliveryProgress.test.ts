import { judgeStatus, withoutStatus, type DeliveryProgress } from '../../../shared';

/** Reports statuses in this order, and returns the verdicts and the progress at the end. */
function report(...statuses: string[]) {
	let progress: DeliveryProgress | undefined;
	const verdicts = statuses.map((status) => {
		const { verdict, next } = judgeStatus(progress, status);
		progress = next;
		return verdict;
	});
	return { verdicts, progress };
}

describe('judgeStatus', () => {
	it.each([
		['forward', ['submitted', 'sent', 'delivered'], ['new', 'new', 'new']],
		['a repeated status', ['sent', 'sent'], ['new', 'known']],
		['a step back', ['delivered', 'sent'], ['new', 'late']],
		['a second final status', ['failed', 'delivered'], ['new', 'late']],
		['another spelling of the same stage', ['delivered', 'delivrd'], ['new', 'late']],
		['read after delivered', ['delivered', 'read'], ['new', 'new']],
		['an unrecognized status, once', ['sent', 'routed', 'routed', 'delivered'], ['new', 'new', 'known', 'new']],
		['an unrecognized status after the end', ['delivered', 'routed', 'sent'], ['new', 'new', 'late']],
	])('judges %s', (_, statuses, verdicts) => {
		expect(report(...statuses).verdicts).toEqual(verdicts);
	});

	it('keeps the same progress unless the status is new', () => {
		const { progress } = report('delivered');
		expect(judgeStatus(progress, 'sent').next).toBe(progress);
		expect(judgeStatus(progress, 'delivered').next).toBe(progress);
	});

	it('keeps at most eight statuses, and never moves back because of that', () => {
		const many = Array.from({ length: 20 }, (_, index) => `code-${index}`);
		const { progress } = report('delivered', ...many);
		expect(progress?.reported).toEqual(many.slice(-8));
		expect(judgeStatus(progress, 'sent').verdict).toBe('late');
	});
});

describe('withoutStatus', () => {
	it('makes a status that was not accepted new again, and keeps the earlier ones', () => {
		const rest = withoutStatus(report('submitted', 'sent', 'delivered').progress, 'delivered');
		expect(rest).toEqual(report('submitted', 'sent').progress);
		expect(judgeStatus(rest, 'delivered').verdict).toBe('new');
		expect(judgeStatus(rest, 'submitted').verdict).toBe('known');
	});

	it('returns an empty progress for a message without one', () => {
		expect(withoutStatus(undefined, 'sent')).toEqual({ rank: -1, reported: [] });
	});
});

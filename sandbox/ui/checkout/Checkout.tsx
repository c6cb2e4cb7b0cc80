import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CheckoutChoice } from '../../checkout/checkOut';
import type { CheckoutResponse, CheckoutState } from '../../checkout/routes';
import { createClient, errorMessage } from '../../../ui/request';
import { OwnStateChips } from '../OwnStateChips';

/** How often a page with a payment in progress asks for its result, in milliseconds. */
const POLL_MS = 1000;

type Action = CheckoutChoice['action'];
type Method = CheckoutChoice['method'];

/** What the page says about a top-up, by its state. */
const RESULTS = {
	completed: 'Paid: the credit is in your wallet.',
	failed: 'The payment was declined, and nothing was paid. Create a new top-up to try again.',
	expired: 'This checkout has expired. Create a new top-up.',
	cancelled: 'You left without paying. You can still pay on this page.',
	pending: '',
};
const IN_PROGRESS: Readonly<Record<'card' | 'mobile_money', string>> = {
	card: 'The payment is being processed. This page shows the result.',
	mobile_money: 'The payment is being confirmed on the phone, which takes a few seconds. This page shows the result.',
};
const HINTS: Readonly<Record<Method, string>> = {
	card: 'You need no card number. The payment completes immediately.',
	mobile_money: 'The credit arrives a few seconds after you pay, as if you had confirmed on your phone.',
	mobile_money_no_prompt:
		'No prompt comes to the phone. You can then approve or decline, as in the menu of the network.',
};

const checkout = createClient<{ 'GET state': CheckoutState; 'POST choice': CheckoutResponse }>({
	base: `${location.pathname.replace(/\/$/, '')}/`,
});

interface Status {
	readonly state: string;
	readonly text: string;
}

/** The checkout of a top-up. While a payment is in progress, it follows its state. */
export function Checkout() {
	const [topUp, setTopUp] = useState<CheckoutState>();
	const [left, setLeft] = useState(false);
	const [problem, setProblem] = useState('');
	const [returning, setReturning] = useState('');
	const isInProgress = topUp?.status === 'pending' && topUp.method !== null;

	async function load(): Promise<void> {
		try {
			setTopUp(await checkout.call('GET state'));
			setProblem('');
		} catch (error) {
			setProblem(errorMessage(error));
		}
	}
	useEffect(() => void load(), []);
	useEffect(() => {
		if (!isInProgress) return undefined;
		const polling = setInterval(() => void load(), POLL_MS);
		return () => clearInterval(polling);
	}, [isInProgress]);

	async function choose(action: Action, method: Method): Promise<void> {
		try {
			const { status, redirect } = await checkout.call('POST choice', { body: { action, method } });
			if (redirect !== null) {
				setReturning(status);
				location.assign(redirect);
				return;
			}
			setLeft(status === 'cancelled');
			await load();
		} catch (error) {
			setProblem(errorMessage(error));
		}
	}

	const isOpen = topUp?.status === 'pending' && topUp.method === null;
	const awaitsApproval = topUp !== undefined && topUp.payer_steps !== null;
	const { state, text } = statusOf();
	return (
		<main class="card" aria-busy={topUp === undefined && problem === ''}>
			<header>
				<img src="/ui/icon.svg" alt="" />
				<div>
					<h1>Top up your wallet</h1>
					<p>Sandbox checkout: no real money moves.</p>
				</div>
			</header>
			<OwnStateChips />
			{topUp && <Amounts {...topUp} />}
			{topUp && isOpen && <Choice {...topUp} choose={choose} />}
			<p id="status" role="status" data-state={state}>
				{text}
			</p>
			{awaitsApproval && <Approval choose={choose} />}
			{topUp && (
				<p id="reference">
					Reference {topUp.reference}
					{topUp.returns_to !== null && ` · returns to ${topUp.returns_to}`}
				</p>
			)}
		</main>
	);

	function statusOf(): Status {
		if (problem !== '') return { state: 'failed', text: problem };
		if (returning !== '') return { state: returning, text: 'Returning…' };
		if (isOpen && left) return { state: 'cancelled', text: RESULTS.cancelled };
		if (topUp === undefined || isOpen) return { state: '', text: '' };
		if (topUp.payer_steps !== null) return { state: topUp.status, text: topUp.payer_steps };
		if (topUp.status === 'pending') return { state: topUp.status, text: IN_PROGRESS[topUp.method ?? 'card'] };
		return { state: topUp.status, text: RESULTS[topUp.status] };
	}
}

function formatMoney(currency: string, amount: number): string {
	return `${currency} ${amount.toFixed(2)}`;
}

function Amounts({ currency, amount, fee, total }: CheckoutState) {
	return (
		<dl>
			<dt>Credit</dt>
			<dd>{formatMoney(currency, amount)}</dd>
			<dt>Fee</dt>
			<dd>{formatMoney(currency, fee)}</dd>
			<dt class="total">To pay</dt>
			<dd class="total">{formatMoney(currency, total)}</dd>
		</dl>
	);
}

interface Choosing {
	readonly choose: (action: Action, method: Method) => Promise<void>;
}

interface ChoiceProps extends CheckoutState, Choosing {}

/** Makes a choice once, however often a button is pressed. */
function useChoice({ choose }: Choosing, method: Method) {
	const [busy, setBusy] = useState(false);

	async function run(action: Action): Promise<void> {
		setBusy(true);
		await choose(action, method);
		setBusy(false);
	}
	return { busy, run };
}

/** The menu of the network, for a payment by mobile money whose prompt never came. */
function Approval(props: Choosing) {
	const { busy, run } = useChoice(props, 'mobile_money_no_prompt');
	return (
		<form>
			<p class="hint">In the sandbox, these buttons are that menu. The payment expires after ten minutes.</p>
			<button type="button" id="approve" disabled={busy} onClick={() => void run('approve')}>
				Approve the payment
			</button>
			<button type="button" class="plain" disabled={busy} onClick={() => void run('decline')}>
				Decline the payment
			</button>
		</form>
	);
}

function Choice({ currency, total, choose }: ChoiceProps) {
	const [method, setMethod] = useState<Method>('card');
	const { busy, run } = useChoice({ choose }, method);

	function pay(event: TargetedSubmitEvent<HTMLFormElement>): void {
		event.preventDefault();
		void run('pay');
	}
	return (
		<form onSubmit={pay}>
			<fieldset>
				<legend>Pay with</legend>
				{(
					[
						['card', 'Test card'],
						['mobile_money', 'Test mobile money'],
						['mobile_money_no_prompt', 'Test mobile money, no prompt'],
					] as const
				).map(([value, label]) => (
					<label key={value}>
						<input
							type="radio"
							name="method"
							value={value}
							checked={method === value}
							onChange={() => setMethod(value)}
						/>
						{label}
					</label>
				))}
			</fieldset>
			<p class="hint">{HINTS[method]}</p>
			<button type="submit" id="pay" disabled={busy}>
				Pay {formatMoney(currency, total)}
			</button>
			<button type="button" class="plain" disabled={busy} onClick={() => void run('decline')}>
				Simulate a decline
			</button>
			<button type="button" class="plain" disabled={busy} onClick={() => void run('leave')}>
				Leave without paying
			</button>
		</form>
	);
}

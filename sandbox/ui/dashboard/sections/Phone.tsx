import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { MessageRow } from '../../../control/messages';
import { Card, Hint } from '../../../../ui/Card';
import { Field } from '../../../../ui/Form';
import { goTo, toUrl } from '../../../../ui/router';
import { ADDRESS_PROBLEM, FIRST_NUMBER, findAddress } from '../../phone/address';
import { control } from '../client';
import type { SectionProps } from '../../../../ui/Frame';
import { useData } from '../../useData';

/** How many of the newest messages the recipients are taken from. */
const MESSAGES = 200;
const MAX_RECIPIENTS = 12;

/** The simulated phone of any number, beside the recent recipients. */
export function Phone({ place }: SectionProps) {
	const number = place.id || FIRST_NUMBER;
	const url = `/phone?number=${encodeURIComponent(number)}`;
	return (
		<div class="phone-columns">
			<div class="phone-holder">
				{/* A new frame adds no entry to the browser's history. A new URL of the same frame would. */}
				<iframe key={number} class="phone-frame" title="Phone" src={`${url}&embedded=1`} />
				<p class="hint">
					<a href={url} target="_blank" rel="noopener">
						Open in a new window
					</a>
				</p>
			</div>
			<div>
				<Card title="Choose a phone">
					<Hint>
						The phone shows SMS, WhatsApp messages and voice calls. Reply from it, or send STOP to opt out. Enter an
						email address to see its mailbox.
					</Hint>
					<Chooser number={number} />
				</Card>
				<Card title="Recent recipients">
					<Recipients number={number} />
				</Card>
			</div>
		</div>
	);
}

interface OpenPhone {
	/** Number or email address of the phone on the page. */
	readonly number: string;
}

function Chooser({ number }: OpenPhone) {
	/** The phone that was on the page when the input was wrong. */
	const [wrongAt, setWrongAt] = useState<string>();

	async function choose(form: HTMLFormElement): Promise<void> {
		const typed = new FormData(form).get('number');
		const address = typeof typed === 'string' ? await findAddress(typed) : undefined;
		if (address === undefined) {
			setWrongAt(number);
			form.querySelector('input')?.focus();
		} else goTo(toUrl('phone', address));
	}

	function handleSubmit(event: TargetedSubmitEvent<HTMLFormElement>): void {
		event.preventDefault();
		void choose(event.currentTarget);
	}
	return (
		<form class="form line" noValidate onSubmit={handleSubmit}>
			<Field
				name="number"
				label="Number or email address"
				hint="Such as +233201234567 or 020 123 4567"
				inputMode="email"
				value={number}
				problem={wrongAt === number ? ADDRESS_PROBLEM : ''}
				onInput={() => setWrongAt(undefined)}
			/>
			<div class="buttons">
				<button type="submit">Open phone</button>
			</div>
		</form>
	);
}

function Recipients({ number }: OpenPhone) {
	const { data } = useData(
		['messages'],
		async () => await control.call('GET messages', { query: { limit: MESSAGES } }),
	);
	return (
		<>
			<ul class="plain-list numbers">
				{data &&
					newestPerRecipient(data).map(({ to, subject, message }) => (
						<li key={to}>
							<a href={toUrl('phone', to)} aria-current={to === number ? 'true' : undefined}>
								<strong class="figures">{to}</strong>
								<span class="snippet" dir="auto">
									{subject ?? message}
								</span>
							</a>
						</li>
					))}
			</ul>
			{data?.length === 0 && <Hint>Numbers and addresses that you send to appear here.</Hint>}
		</>
	);
}

function newestPerRecipient(messages: readonly MessageRow[]): readonly MessageRow[] {
	const newest = new Map<string, MessageRow>();
	for (const message of messages) if (!newest.has(message.to)) newest.set(message.to, message);
	return [...newest.values()].slice(0, MAX_RECIPIENTS);
}

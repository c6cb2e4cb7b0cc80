import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ActionButton } from '../../../../ui/ActionButton';
import { Card, Hint } from '../../../../ui/Card';
import { Field, Form, type FormValues } from '../../../../ui/Form';
import { toUrl } from '../../../../ui/router';
import { showToast } from '../../../../ui/Toast';
import { control } from '../client';
import { deliveryEvents, describeFault, faultKinds, isOfDelivery, requestTargets, statuses } from '../faultChoices';
import { ResponseShapes } from '../ResponseShapes';
import { useData } from '../../useData';

/** Faults for the next requests, and other response shapes. */
export function Faults() {
	return (
		<div class="columns even">
			<FaultCards />
			<ResponseShapes />
		</div>
	);
}

function FaultCards() {
	const { data: faults, refresh } = useData(['faults'], async () => await control.call('GET faults'));
	const list = useRef<HTMLUListElement>(null);
	/** The position of the removed fault, until the focus has moved from its button. */
	const removed = useRef<number>();
	useLayoutEffect(() => {
		if (removed.current === undefined) return;
		const buttons = list.current?.querySelectorAll('button') ?? [];
		const next = buttons[Math.min(removed.current, buttons.length - 1)];
		removed.current = undefined;
		(next ?? document.querySelector<HTMLSelectElement>('select[name=kind]'))?.focus();
	}, [faults]);

	async function add(values: FormValues): Promise<void> {
		await control.call('POST faults', { body: toFault(values) });
		showToast('Fault added');
		await refresh();
	}

	async function remove(id: number, position: number): Promise<void> {
		await control.call('DELETE faults/:id', { params: { id } });
		showToast('Fault removed');
		removed.current = position;
		await refresh();
	}

	async function removeAll(): Promise<void> {
		await control.call('DELETE faults');
		showToast('All faults removed');
		await refresh();
	}
	return (
		<div>
			<Card title="Add a fault">
				<Hint>
					Test how your workflow handles a failure of the service. For a fault on one phone number only, use{' '}
					<a href={toUrl('magic-values')}>magic values</a>. The <a href={toUrl('api-log')}>API log</a> shows each
					request with its fault.
				</Hint>
				<Form action="Add fault" keep submit={add}>
					<FaultFields />
				</Form>
			</Card>
			<Card title="Pending faults">
				{faults?.length === 0 && <Hint>None. Everything works normally.</Hint>}
				<ul class="plain-list divided" ref={list}>
					{faults?.map((fault, position) => {
						const { title, target } = describeFault(fault);
						return (
							<li class="spread" key={fault.id}>
								<div>
									<strong>{title}</strong>
									<span class="sub">{target}</span>
								</div>
								<ActionButton
									act={async () => await remove(fault.id, position)}
									label={`Remove: ${title}, ${target}`}
									look="small"
								>
									Remove
								</ActionButton>
							</li>
						);
					})}
				</ul>
				{faults && faults.length > 0 && (
					<div class="buttons">
						<ActionButton act={removeAll}>Remove all</ActionButton>
					</div>
				)}
			</Card>
		</div>
	);
}

/** The fields of a fault. Each kind has its own. */
function FaultFields() {
	const [kind, setKind] = useState('answer');
	const [status, setStatus] = useState('500');
	return (
		<>
			<Field name="kind" label="What happens" kind="select" options={faultKinds} wide onInput={setKind} />
			<Field
				name="endpoint"
				label="Applies to"
				kind="select"
				options={[
					{ value: '*', label: 'Any, whichever comes next' },
					...(isOfDelivery(kind) ? deliveryEvents : requestTargets),
				]}
				wide
			/>
			{kind === 'answer' && (
				<Field name="status" label="Status" kind="select" options={statuses} value={status} onInput={setStatus} />
			)}
			{kind === 'answer' && status === '429' && (
				<Field
					name="retry_after"
					label="Retry-After (seconds)"
					kind="number"
					hint="Empty: no such header"
					value={2}
					min={0}
					step={1}
				/>
			)}
			{(kind === 'delay' || kind === 'post_late') && (
				<Field name="milliseconds" label="Delay (ms)" kind="number" value={3000} required min={0} step={1} />
			)}
			{kind === 'post_copies' && (
				<Field name="copies" label="Copies" kind="number" value={2} required min={2} max={10} step={1} />
			)}
			<Field name="times" label="How many requests" kind="number" value={1} required min={1} step={1} />
		</>
	);
}

function toFault({ status, retry_after, ...fault }: FormValues): object {
	if (fault.kind !== 'answer') return fault;
	const headers = retry_after === undefined ? {} : { headers: { 'retry-after': String(retry_after) } };
	return { ...fault, status: Number(status), ...headers };
}

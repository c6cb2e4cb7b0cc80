import type { SettingsValues } from '../../store/settings';
import { Card, Hint } from '../../../ui/Card';
import { Field } from '../../../ui/Form';
import { control } from './client';
import { SettingsForm } from './SettingsForm';
import { useData } from '../useData';

/** A setting with its choices. The type requires a label for every value of the setting. */
interface Choice<Name extends keyof SettingsValues> {
	readonly name: Name;
	readonly label: string;
	readonly choices: Readonly<Record<SettingsValues[Name] & string, string>>;
}

interface AnyChoice {
	readonly name: keyof SettingsValues;
	readonly label: string;
	readonly choices: Readonly<Record<string, string>>;
}

function choice<Name extends keyof SettingsValues>(
	name: Name,
	label: string,
	choices: Choice<Name>['choices'],
): Choice<Name> {
	return { name, label, choices };
}

const responses = [
	choice('error_shape', 'Errors', {
		flat: 'code and message',
		nested: 'under “error”',
		list: 'a list of errors',
		fields: 'by field',
		text: '“error” as text',
	}),
	choice('list_shape', 'Lists', {
		data: 'under “data”',
		bare: 'a bare list',
		named: 'under their name',
		paged: 'in pages',
	}),
	choice('record_shape', 'Single records', { flat: 'flat', data: 'under “data”', named: 'under their name' }),
	choice('number_shape', 'Amounts', { number: 'numbers', text: 'text' }),
];

const results = [
	choice('rejection_shape', 'Rejected requests', {
		status: 'by status 404 or 422',
		success_false: '200, “success” false',
		wrapped: '200, failed in an envelope',
		row: '200, failed in a list',
		text: '200, only a text',
	}),
	choice('verification_shape', 'Code checks', {
		answer: '“valid” true or false',
		refusal: 'a 422 for a wrong code',
		flag: '“is_verified”, “success” always true',
		list: '“valid” in a list',
		words: 'only a text',
		success: 'only “success”, and a 422 for a wrong code',
	}),
	choice('bulk_shape', 'Bulk send results', {
		rows: 'a row for each number',
		renamed_rows: 'rows with “contact” and “state”',
		lists: 'lists “sent” and “failed”',
		groups: 'groups under “results”',
		map: 'by number',
		counts: 'only counts',
	}),
	choice('contact_shape', 'Contacts', {
		plain: '“phone” and “name”',
		renamed: '“phone_number” and “full_name”',
		numbers: '“phone” as a number',
	}),
	choice('sender_id_shape', 'Sender IDs', { records: 'records', numbers: 'with numbers', names: 'only names' }),
	choice('balance_shape', 'Balance', {
		plain: '“balance”',
		renamed: '“wallet_balance”',
		nested: 'an amount under “balance”',
		text: 'text with a currency sign',
	}),
	choice('transaction_shape', 'Transactions', {
		full: 'with ID and balance',
		bare: 'without ID and balance',
		unsigned: 'other types, no signs',
	}),
	choice('transaction_order', 'Transaction order', { newest_first: 'newest first', oldest_first: 'oldest first' }),
	choice('status_words', 'Delivery statuses', { plain: 'the service’s words', carrier: 'a carrier’s words' }),
	choice('bulk_opt_outs', 'Bulk sends with opted-out numbers', {
		refuse: 'rejected as a whole',
		skip: 'sent without them',
	}),
];

/** The settings for responses that the API does not document. */
export function ResponseShapes() {
	const { data: settings, refresh } = useData(['settings'], async () => await control.call('GET settings'));
	const draw = ({ name, label, choices }: AnyChoice) => (
		<Field
			key={name}
			name={name}
			label={label}
			kind="select"
			options={Object.entries(choices).map(([value, label]) => ({ value, label }))}
			value={settings?.[name]}
		/>
	);
	return (
		<Card title="Response shapes">
			<Hint>The API does not document every response. Try other plausible shapes here.</Hint>
			<SettingsForm onSaved={refresh}>
				{responses.map(draw)}
				<Field
					name="page_size"
					label="Contacts and sender IDs per page"
					kind="number"
					hint="0: all of them"
					min={0}
					max={1000}
					step={1}
					value={settings?.page_size}
				/>
				{results.map(draw)}
			</SettingsForm>
		</Card>
	);
}

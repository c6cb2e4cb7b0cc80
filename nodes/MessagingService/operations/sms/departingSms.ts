import { contract, outcomeOfOne, type InputOf, type Outcome, type Schedule } from '../../../../shared';
import { makeCall, type Call, type Skip } from '../../execution/operation';
import type { SendingDeparture } from '../../host/sendingHours';

/**
 * Makes the call for an SMS to one number. A message for later is a bulk send to one number, because the API cannot
 * schedule a single send.
 * @param departure when it leaves
 * @param planned the time that the user chose; undefined for now
 */
export function departingSms(
	sms: InputOf<typeof contract.sms.send>,
	departure: SendingDeparture,
	planned?: Schedule,
): Call | Skip {
	const { to } = sms;
	if (departure.when === 'never') {
		return { kind: 'skip', row: { to, outcome: 'skipped', ...departure.skipped } };
	}
	if (departure.when === 'now') return makeCall(contract.sms.send, sms);
	const { schedule, moved } = departure;
	const at = ({ schedule_at }: Schedule) => makeCall(contract.sms.sendBulk, { ...sms, to: [to], schedule_at });
	if (!moved) return at(schedule);
	const given = planned ? at(planned) : makeCall(contract.sms.send, sms);
	return { ...at(schedule), given, about: { ...moved } };
}

/** Reads the outcome of a bulk send to one number as that of the message. Other outcomes stay as they are. */
export function finishSms(outcome: Outcome<unknown>, { endpoint, input, given }: Call): Outcome<unknown> {
	const { sendBulk } = contract.sms;
	if (endpoint.id !== sendBulk.id || outcome.outcome !== 'accepted') return outcome;
	// The Sending Hours may have moved an earlier call to another time.
	const { schedule_at, ...now } = sendBulk.input.parse(input);
	const sent = given && outcome.relay?.replayed ? now : { ...now, schedule_at };
	return outcomeOfOne({ ...outcome, output: sendBulk.output.parse(outcome.output) }, sent);
}

// The CommonJS build of `libphonenumber-js/max` exports no Metadata. Both share one copy of the list.
import { Metadata, type CountryCode, type NumberingPlan } from 'libphonenumber-js/core';
import type { PhoneNumber } from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';

/** The library has these methods, and its types leave them out. */
interface PlanWithTypes extends NumberingPlan {
	type(name: 'MOBILE'): { possibleLengths(): readonly number[] } | undefined;
	nationalPrefix(): string | undefined;
}

/**
 * Whether a number has the length of a mobile number in its country. Other lengths do not count: a mobile number of Ghana
 * that lacks a digit is as long as a toll-free number.
 * @param number parsed, in a range of its country that may be unknown
 */
export function hasMobileLength(number: PhoneNumber): boolean {
	const countries = number.country === undefined ? number.getPossibleCountries() : [number.country];
	return countries.some((country) => isAsLong(number.nationalNumber, country));
}

/**
 * The digits of the shortest mobile number of a country, without its country code.
 * @returns 0 if the metadata has no mobile numbers of the country
 */
export function shortestMobile(country: CountryCode): number {
	const lengths = planOf(country)?.type('MOBILE')?.possibleLengths() ?? [];
	return lengths.length === 0 ? 0 : Math.min(...lengths);
}

function isAsLong(national: string, country: CountryCode): boolean {
	const plan = planOf(country);
	if (plan === undefined) return false;
	// A zero that is left is the one that people dial in the country, so a digit is missing.
	if (plan.nationalPrefix() === '0' && national.startsWith('0')) return false;
	return plan.type('MOBILE')?.possibleLengths().includes(national.length) ?? false;
}

function planOf(country: CountryCode): PlanWithTypes | undefined {
	const plans = new Metadata(metadata);
	plans.selectNumberingPlan(country);
	const plan = plans.numberingPlan;
	return plan !== undefined && isWithTypes(plan) ? plan : undefined;
}

function isWithTypes(plan: NumberingPlan): plan is PlanWithTypes {
	return 'type' in plan && 'nationalPrefix' in plan;
}

import { Hono } from 'hono';
import type { Hosts } from '../proxy';
import { openGoogleAccount, type GoogleAccount } from './account';
import { openGoogleCalendar, type GoogleCalendar } from './calendar';
import { driveApp } from './drive';
import { openGoogleSheets, type GoogleSheets } from './sheets';

/** A Google account with spreadsheets and a calendar. */
export interface Google {
	readonly account: GoogleAccount;
	readonly sheets: GoogleSheets;
	readonly calendar: GoogleCalendar;
	/** Its APIs by host. */
	readonly hosts: Hosts;
}

/** Opens an account with no spreadsheet and an empty calendar. */
export function openGoogle(): Google {
	const account = openGoogleAccount();
	const sheets = openGoogleSheets(account);
	const calendar = openGoogleCalendar(account);
	const shared = new Hono();
	shared.route('/', driveApp(account, sheets));
	shared.route('/', calendar.app);
	return {
		account,
		sheets,
		calendar,
		hosts: {
			'oauth2.googleapis.com': account.app,
			'sheets.googleapis.com': sheets.app,
			'www.googleapis.com': shared,
		},
	};
}

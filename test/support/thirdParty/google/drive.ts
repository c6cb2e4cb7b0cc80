import { Hono } from 'hono';
import type { GoogleAccount } from './account';
import type { GoogleSheets } from './sheets';

/** Serves the list of spreadsheets below `www.googleapis.com/drive/v3`, from which a user chooses one in a node. */
export function driveApp(account: GoogleAccount, sheets: GoogleSheets): Hono {
	const app = new Hono();
	app.use('/drive/*', account.requireToken);
	app.get('/drive/v3/files', (c) =>
		c.json({
			files: sheets.files().map(({ id, name }) => ({
				id,
				name,
				webViewLink: `https://docs.google.com/spreadsheets/d/${id}/edit?usp=drivesdk`,
			})),
		}),
	);
	return app;
}

/**
 * Ends the random waits between attempts of a call at once, in all tests of the calling file. Waits that a service asks
 * for remain. Call it at the top of the file.
 */
export function endRetryWaits(): void {
	let random: jest.SpyInstance | undefined;
	beforeAll(() => {
		random = jest.spyOn(Math, 'random').mockReturnValue(0);
	});
	afterAll(() => random?.mockRestore());
}

// Shared by the pages: page.js.

const $ = (id) => document.getElementById(id);

function element(tag, text, className) {
	const e = document.createElement(tag);
	if (text !== undefined)
		e.textContent = text;
	if (className)
		e.className = className;
	return e;
}

// ---- numbers for people -----------------------------------------------------

const count = (n) => Math.round(n).toLocaleString('en-US');
const plural = (n, what) => `${count(n)} ${what}${n === 1 ? '' : 's'}`;

function duration(us) {
	if (us >= 120e6)
		return `${Math.floor(us / 60e6)} min ${Math.floor(us / 1e6) % 60} s`;
	if (us >= 1e6)
		return `${(us / 1e6).toFixed(2)} s`;
	return us >= 1000 ? `${(us / 1000).toFixed(1)} ms` : `${us} µs`;
}

// A number of per cent: with one decimal, and never 0.0 or 100.0 for what is not.
function percent(n) {
	if (n === 0 || n === 100)
		return `${n} %`;
	if (n < 0.1)
		return '<0.1 %';
	return n > 99.9 ? '>99.9 %' : `${n.toFixed(1)} %`;
}

const share = (part, whole) => percent(whole > 0 ? part / whole * 100 : 0);

// ---- how a profile was recorded ---------------------------------------------

const MODES = [, 'wall', 'CPU', 'GIL', 'all', 'exception'];
const BLOCKING = 0x100; // a bit of config
const MISSED = 5; // per cent of rounds, from which on a profile is doubtful

function recordedAs({ duration: seconds, rate, interval }) {
	const wanted = interval > 0 ? `${count(1e6 / interval)} Hz` : '';
	if (seconds === undefined)
		return wanted;
	return `${duration(seconds * 1e6)} at ${count(rate)}` +
	    (wanted ? ` of ${wanted}` : ' Hz');
}

// What is known of a recording, from page_put_facts of page.c.
function describeFacts(facts) {
	const { config, errors, missed, python } = facts;
	const mode = MODES[config & 7];
	return [recordedAs(facts), missed === undefined || missed >= MISSED ?
	    '' : `missed ${percent(missed)} of the rounds`,
		errors === undefined ? '' : `errors ${percent(errors)}`,
		mode ? `mode ${mode}` : '',
		config & BLOCKING ? 'blocking' : '',
		python[0] > 0 ? `Python ${python.join('.')}` : ''
	].filter((text) => text !== '').join(' · ');
}

function addFacts(to, facts) {
	to.append(describeFacts(facts));
	if (facts.missed >= MISSED)
		to.append(' · ', element('span', `missed ${
		    percent(facts.missed)} of the rounds: short calls may be ` +
		    'missing, and shares may be off', 'warning'));
}

// ---- light and dark ---------------------------------------------------------

function stored(key, value) {
	try {
		if (value !== undefined)
			localStorage.setItem(key, value);
		return localStorage.getItem(key);
	} catch {
		return null; // a browser may keep nothing for files
	}
}

const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (document.documentElement.dataset.theme ??
    (darkSystem.matches ? 'dark' : 'light')) === 'dark';

function setTheme(theme) {
	document.documentElement.dataset.theme = theme;
	stored('tach-theme', theme);
}

const otherTheme = () => setTheme(isDark() ? 'light' : 'dark');

if (['light', 'dark'].includes(stored('tach-theme')))
	document.documentElement.dataset.theme = stored('tach-theme');

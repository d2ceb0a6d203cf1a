/** Unicode characters with LaTeX (or ASCII) of the same meaning. */
const CHARACTERS: Record<string, string> = {
  '−': '-',
  '–': '-',
  '‐': '-',
  '‑': '-',
  '×': '\\times ',
  '·': '\\cdot ',
  '⋅': '\\cdot ',
  '∙': '\\cdot ',
  '∗': '*',
  '÷': '/',
  '∕': '/',
  '⁄': '/',
  '±': '\\pm ',
  '∓': '\\mp ',
  '√': '\\sqrt ',
  '∛': '\\sqrt[3]',
  '∜': '\\sqrt[4]',
  '∞': '\\infty ',
  '≤': '\\leq ',
  '⩽': '\\leq ',
  '≥': '\\geq ',
  '⩾': '\\geq ',
  '≠': '\\neq ',
  '≈': '\\approx ',
  '∪': '\\cup ',
  '∩': '\\cap ',
  '∈': '\\in ',
  '∅': '\\emptyset ',
  '°': '^{\\circ}',
  º: '^{\\circ}',
  '∠': '\\angle ',
  '△': '\\triangle ',
  '⌊': '\\lfloor ',
  '⌋': '\\rfloor ',
  '⌈': '\\lceil ',
  '⌉': '\\rceil ',
  '⟨': '\\langle ',
  '⟩': '\\rangle ',
  '…': '\\ldots ',
  '½': '\\frac{1}{2}',
  '⅓': '\\frac{1}{3}',
  '⅔': '\\frac{2}{3}',
  '¼': '\\frac{1}{4}',
  '¾': '\\frac{3}{4}',
  '⅕': '\\frac{1}{5}',
  '⅙': '\\frac{1}{6}',
  '⅛': '\\frac{1}{8}',
  '⅜': '\\frac{3}{8}',
  '⅝': '\\frac{5}{8}',
  '⅞': '\\frac{7}{8}',
  ℝ: '\\mathbb{R}',
  ℤ: '\\mathbb{Z}',
  ℕ: '\\mathbb{N}',
  ℚ: '\\mathbb{Q}',
  ℂ: '\\mathbb{C}',
  '€': '\\currency{eur}',
  '£': '\\currency{gbp}',
  '¥': '\\currency{jpy}',
  '₹': '\\currency{inr}',
  '₩': '\\currency{krw}',
  '₽': '\\currency{rub}',
  '₺': '\\currency{try}',
  '₫': '\\currency{vnd}',
  '₴': '\\currency{uah}',
  '₦': '\\currency{ngn}',
  '₱': '\\currency{php}',
  '₪': '\\currency{ils}',
  '฿': '\\currency{thb}',
  '，': ',',
  '；': ';',
  '：': ':',
  '。': '.',
  '、': ',',
  '′': "'",
  '’': "'",
  '\u2061': '',
  '\u2062': '',
  '\u200b': '',
  '\ufeff': '',
};

const GREEK: Record<string, string> = {
  α: 'alpha',
  β: 'beta',
  γ: 'gamma',
  δ: 'delta',
  ε: 'epsilon',
  θ: 'theta',
  λ: 'lambda',
  μ: 'mu',
  // The sign of micro- is another character.
  µ: 'mu',
  π: 'pi',
  ρ: 'rho',
  σ: 'sigma',
  τ: 'tau',
  φ: 'phi',
  ϕ: 'phi',
  ψ: 'psi',
  ω: 'omega',
  Δ: 'Delta',
  Ω: 'Omega',
};

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ';
const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉₋₊ₙ';
const LEVEL = '0123456789-+n';

const lowered = (run: string, from: string) => [...run].map((one) => LEVEL[[...from].indexOf(one)]).join('');

/** Rewrites mathematical Unicode (`√`, `²`, `½`, `≤`, full-width digits) as LaTeX. */
export function latexCharacters(text: string): string {
  return text
    .replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ]+/g, (run) => `^{${lowered(run, SUPERSCRIPTS)}}`)
    .replace(/[₀₁₂₃₄₅₆₇₈₉₋₊ₙ]+/g, (run) => `_{${lowered(run, SUBSCRIPTS)}}`)
    .replace(/(\d)([½⅓⅔¼¾⅕⅙⅛⅜⅝⅞])/g, '$1 $2')
    .replace(/[^\x20-\x7e\n]/g, (character) => rewritten(character));
}

function rewritten(character: string): string {
  if (Object.hasOwn(CHARACTERS, character)) return CHARACTERS[character] ?? '';
  if (Object.hasOwn(GREEK, character)) return `\\${GREEK[character]} `;
  const code = character.charCodeAt(0);
  // Full-width forms are at a fixed distance from ASCII.
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  return /\s|\p{Cc}/u.test(character) ? ' ' : character;
}

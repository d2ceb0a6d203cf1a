import MiniSearch from 'minisearch';
import { type LayeredRetrieval, LayerIds } from './layered-retrieval.js';
import type { IndexedText, RetrievalMatch } from './retrieval-service.js';
import { TopMatches } from './top-matches.js';

/**
 * Parameters of BM25+ as in MiniSearch: saturation of the term frequency, weight of the text's length, and lower bound
 * for one occurrence. Lv and Zhai, Lower-Bounding Term Frequency Normalization, CIKM 2011.
 */
const [K, B, DELTA] = [1.2, 0.7, 0.5];

interface Entry extends IndexedText {
  owner: LexicalIndex;
}

/**
 * Scripts without spaces between words, and Hangul, whose particles are attached to words. Runs of them are split into
 * overlapping pairs of characters, which needs no dictionary (as in Lucene's CJKAnalyzer).
 */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}';
const LETTER = '[\\p{L}\\p{M}]';

/**
 * Numbers, runs of an unspaced script, and words, in this order. `2x` is a number and a word, `x_1` a word and a
 * number.
 */
const TOKEN = new RegExp(
  `(\\d{1,3}(?:,\\d{3})+(?!\\d)(?:\\.\\d+)?|\\p{N}+(?:\\.\\p{N}+)?)` +
    `|((?:(?=${LETTER})[${UNSPACED}])+)` +
    `|(?:(?![${UNSPACED}])${LETTER})+`,
  'gu',
);

function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/**
 * Returns the terms of a text in any language: lower case, with compatibility forms folded (`ﬁ`, `２`, `𝑥`), and
 * numbers kept whole (`3.14`; `1,000` is `1000`). No stemming and no stop words, which would depend on the language.
 */
export function tokenize(text: string): string[] {
  const terms: string[] = [];
  for (const [term, number, run] of text.normalize('NFKC').toLowerCase().matchAll(TOKEN)) {
    if (run !== undefined) terms.push(...pairs(run));
    else terms.push(number === undefined ? term : number.replaceAll(',', ''));
  }
  return terms;
}

/**
 * Inverted index of MiniSearch with a ranking of its own. MiniSearch's `search` describes every match of every text,
 * which takes ten times as long, and uses a running mean of the lengths, whose rounding errors depend on the order of
 * the calls. The mean here is of integers, so it depends on the texts alone.
 */
class Postings extends MiniSearch<Entry> {
  constructor() {
    super({
      fields: ['text'],
      // The entry is its own key: two layers may use the same id.
      extractField: (entry: Entry, field) => (field === 'text' ? entry.text : entry),
      tokenize,
      processTerm: (term) => term,
    });
  }

  /** Ranks the visible texts as if there were no others. */
  rank(
    query: string,
    visible: (entry: Entry) => boolean,
    top: TopMatches,
    accept: (id: number) => boolean,
  ): void {
    const lengths = new Float64Array(this._nextId);
    let [count, total] = [0, 0];
    for (const [slot, entry] of this._documentIds) {
      if (!visible(entry)) continue;
      // The number of distinct terms, which is MiniSearch's measure of a text.
      const length = this._fieldLength.get(slot)?.[0] ?? 0;
      lengths[slot] = length;
      count += 1;
      total += length;
    }
    const scores = new Float64Array(this._nextId);
    for (const term of new Set(tokenize(query))) {
      const frequencies = this._index.get(term)?.get(this._fieldIds.text ?? 0);
      if (frequencies === undefined) continue;
      let matching = 0;
      for (const slot of frequencies.keys()) if (lengths[slot] !== 0) matching += 1;
      const inverseFrequency = Math.log(1 + (count - matching + 0.5) / (matching + 0.5));
      for (const [slot, frequency] of frequencies) {
        const length = lengths[slot] ?? 0;
        if (length === 0) continue;
        const saturated = (frequency * (K + 1)) / (frequency + K * (1 - B + (B * length * count) / total));
        scores[slot] = (scores[slot] ?? 0) + inverseFrequency * (DELTA + saturated);
      }
    }
    for (const [slot, { id }] of this._documentIds as Map<number, Entry>) {
      const score = scores[slot] ?? 0;
      if (score > 0 && accept(id)) top.offer(id, score);
    }
  }
}

/**
 * Index that finds texts by their words with BM25+. No network, no cost; a text that shares no word with the query is
 * not returned. All methods work synchronously, so a query never sees a partial update. 10,000 texts of 1,500
 * characters take about 120 MB, and 5 s to index: add them in portions if the event loop must not be blocked.
 */
export class LexicalIndex implements LayeredRetrieval {
  private readonly postings: Postings;
  private readonly entries = new Map<number, Entry>();
  private readonly ids: LayerIds;

  /** @param base the index that this one is a layer of; none by default. */
  constructor(private readonly base?: LexicalIndex) {
    this.postings = base?.postings ?? new Postings();
    this.ids = new LayerIds(this.entries, base?.ids);
  }

  async buildIndex(texts: readonly IndexedText[]): Promise<void> {
    for (const { id, text } of texts) {
      if (this.entries.get(id)?.text === text) continue;
      this.drop(id);
      const entry: Entry = { id, text, owner: this };
      this.entries.set(id, entry);
      this.postings.add(entry);
    }
  }

  remove(ids: readonly number[]): void {
    for (const id of ids) {
      this.drop(id);
      this.ids.hide(id);
    }
  }

  async queryTopK(
    query: string,
    k: number,
    accept: (id: number) => boolean = () => true,
  ): Promise<RetrievalMatch[]> {
    const top = new TopMatches(k);
    this.postings.rank(query, (entry) => this.sees(entry), top, accept);
    return top.list();
  }

  get size(): number {
    return this.ids.size;
  }

  layer(): LexicalIndex {
    return new LexicalIndex(this);
  }

  close(): void {
    for (const id of [...this.entries.keys()]) this.drop(id);
  }

  private drop(id: number): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.postings.remove(entry);
    this.entries.delete(id);
  }

  private sees(entry: Entry): boolean {
    if (entry.owner === this) return true;
    if (this.base === undefined || this.ids.covers(entry.id)) return false;
    return this.base.sees(entry);
  }
}

/** The items with the smallest numbers of a stream. Holds at most twice as many items as it keeps. */
export class Smallest<Item> {
  private held: { number: number; place: number; item: Item }[] = [];
  private added = 0;

  /** @param onDropped receives each item that is not kept */
  constructor(
    private readonly count: number,
    private readonly onDropped: (item: Item) => void,
  ) {}

  add(number: number, item: Item): void {
    this.held.push({ number, place: this.added++, item });
    if (this.held.length >= 2 * this.count) this.drop();
  }

  /** Returns the items in the order of their numbers; equal ones in the order of the stream. */
  kept(): Item[] {
    this.drop();
    return this.held.map(({ item }) => item);
  }

  private drop(): void {
    this.held.sort((left, right) => left.number - right.number || left.place - right.place);
    for (const { item } of this.held.splice(this.count)) this.onDropped(item);
  }
}

import { decimalText } from '../../lib/money.ts';
import type { ProductPatch } from '../../shop/products/rules.ts';
import type { Article } from '../../sample/catalogue.ts';
import type { Random } from '../../sample/random.ts';

const PRICE_CHANGES = 2;
const LOWEST_PRICE = 190;

interface Stocked {
  article: Article;
  price: number;
  stock: number;
  sold: number;
  /** How many are ordered at a time. */
  lot: number;
}

/** The goods with their present price and stock. */
export interface Shelf {
  /** What everything is and costs on the first day. */
  opening(): ProductPatch[];
  /** Takes a product from the shelf for a customer and tells its price in cents. */
  take(product_id: string, quantity: number): number;
  /** The week's stock-taking: what was sold is gone, what ran low was ordered, a few prices change. */
  takeStock(random: Random): ProductPatch[];
}

/** `weeklyItems`: about how many products are bought in a week, all together. */
export function fillShelf(articles: readonly Article[], weeklyItems: number): Shelf {
  const demand = articles.reduce((sum, article) => sum + article.demand, 0);
  const goods = new Map<string, Stocked>();
  for (const article of articles) {
    const lot = Math.max(12, Math.ceil(((article.demand / demand) * weeklyItems * 5) / 12) * 12);
    goods.set(article.product_id, { article, price: article.price, stock: lot, sold: 0, lot });
  }
  return {
    opening: () =>
      [...goods.values()].map(({ article, price, stock }) => ({
        product_id: article.product_id,
        name: article.name,
        price: priceText(price),
        stock_quantity: stock,
        categories: JSON.stringify(article.categories),
      })),
    take: (product_id, quantity) => {
      const good = goods.get(product_id) as Stocked;
      good.sold += quantity;
      return good.price;
    },
    takeStock: (random) => {
      for (const good of goods.values()) {
        good.stock = Math.max(0, good.stock - good.sold);
        good.sold = 0;
        if (good.stock < good.lot / 3 && random.chance(0.7)) good.stock += good.lot;
      }
      for (let change = 0; change < PRICE_CHANGES; change++) {
        const good = random.pick([...goods.values()]);
        const changed = good.price * (0.95 + random.next() * 0.15);
        good.price = Math.max(LOWEST_PRICE, Math.round(changed / 100) * 100 - 10);
      }
      return [...goods.values()].map(({ article, price, stock }) => ({
        product_id: article.product_id,
        price: priceText(price),
        stock_quantity: stock,
      }));
    },
  };
}

function priceText(cents: number): string {
  return decimalText(BigInt(cents) * 100n);
}

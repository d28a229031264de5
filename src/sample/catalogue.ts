export interface Article {
  product_id: string;
  name: string;
  /** In cents. */
  price: number;
  categories: string[];
  /** How often it is bought, beside the others. */
  demand: number;
}

interface SampleProduct {
  code: string;
  name: string;
  price: number;
  categories: string[];
  demand: number;
  /** What it comes in: the end of its name and what that adds to the price. */
  variants: readonly (readonly [suffix: string, extra: number])[];
}

const COLOURS = [
  ['Sand', 0],
  ['Slate', 0],
  ['Moss', 0],
] as const;
const GRINDS = [
  ['250 g', 0],
  ['500 g', 750],
  ['1 kg', 1900],
] as const;
const LOOSE = [
  ['50 g', 0],
  ['100 g', 520],
  ['250 g', 1690],
] as const;

/** A shop for coffee, tea and a well-kept home. Within a line the variants share the base of their id. */
const LINES: readonly SampleProduct[] = [
  { code: 'COF-ETH', name: 'Coffee Ethiopia Yirgacheffe', price: 1090, categories: ['Coffee', 'Filter'], demand: 9, variants: GRINDS },
  { code: 'COF-COL', name: 'Coffee Colombia Huila', price: 990, categories: ['Coffee', 'Filter'], demand: 8, variants: GRINDS },
  { code: 'COF-GUA', name: 'Coffee Guatemala Antigua', price: 1040, categories: ['Coffee', 'Filter'], demand: 5, variants: GRINDS },
  { code: 'COF-HSE', name: 'House Espresso', price: 890, categories: ['Coffee', 'Espresso'], demand: 12, variants: GRINDS },
  { code: 'COF-DEC', name: 'Decaf Espresso', price: 940, categories: ['Coffee', 'Espresso', 'Decaf'], demand: 4, variants: GRINDS },
  { code: 'TEA-SEN', name: 'Green Tea Sencha', price: 690, categories: ['Tea', 'Green tea'], demand: 5, variants: LOOSE },
  { code: 'TEA-JAS', name: 'Jasmine Pearls', price: 1190, categories: ['Tea', 'Green tea'], demand: 3, variants: LOOSE },
  { code: 'TEA-ASS', name: 'Black Tea Assam', price: 590, categories: ['Tea', 'Black tea'], demand: 6, variants: LOOSE },
  { code: 'TEA-EGR', name: 'Earl Grey', price: 640, categories: ['Tea', 'Black tea'], demand: 6, variants: LOOSE },
  { code: 'TEA-ROO', name: 'Rooibos Vanilla', price: 490, categories: ['Tea', 'Herbal'], demand: 4, variants: LOOSE },
  { code: 'TEA-MNT', name: 'Peppermint', price: 450, categories: ['Tea', 'Herbal'], demand: 4, variants: LOOSE },
  {
    code: 'BRW-POT',
    name: 'French Press',
    price: 3490,
    categories: ['Brewing'],
    demand: 3,
    variants: [
      ['0.35 l', 0],
      ['1 l', 1000],
    ],
  },
  {
    code: 'BRW-DRP',
    name: 'Ceramic Dripper',
    price: 2290,
    categories: ['Brewing', 'Filter'],
    demand: 3,
    variants: [
      ['Size 01', 0],
      ['Size 02', 400],
    ],
  },
  {
    code: 'BRW-PAP',
    name: 'Paper Filters',
    price: 590,
    categories: ['Brewing', 'Filter'],
    demand: 8,
    variants: [
      ['100 pieces, 01', 0],
      ['100 pieces, 02', 60],
    ],
  },
  {
    code: 'BRW-KET',
    name: 'Gooseneck Kettle',
    price: 6990,
    categories: ['Brewing', 'Electric'],
    demand: 2,
    variants: [
      ['Steel', 0],
      ['Black', 500],
    ],
  },
  { code: 'BRW-GRI', name: 'Hand Grinder', price: 8900, categories: ['Brewing'], demand: 2, variants: [['', 0]] },
  { code: 'BRW-SCA', name: 'Brewing Scale with Timer', price: 4490, categories: ['Brewing', 'Electric'], demand: 2, variants: [['', 0]] },
  { code: 'CUP-MUG', name: 'Stoneware Mug', price: 1690, categories: ['Tableware'], demand: 6, variants: COLOURS },
  { code: 'CUP-ESP', name: 'Espresso Cup', price: 1190, categories: ['Tableware', 'Espresso'], demand: 4, variants: COLOURS },
  { code: 'CUP-BWL', name: 'Breakfast Bowl', price: 1890, categories: ['Tableware'], demand: 3, variants: COLOURS },
  { code: 'CUP-PLT', name: 'Dinner Plate', price: 2190, categories: ['Tableware'], demand: 3, variants: COLOURS },
  { code: 'CUP-TPT', name: 'Teapot with Strainer', price: 4290, categories: ['Tableware', 'Tea'], demand: 2, variants: COLOURS },
  { code: 'TEX-TWL', name: 'Linen Tea Towel', price: 1290, categories: ['Textiles', 'Kitchen'], demand: 4, variants: COLOURS },
  { code: 'TEX-NAP', name: 'Linen Napkins, Set of 4', price: 2990, categories: ['Textiles'], demand: 2, variants: COLOURS },
  { code: 'TEX-APR', name: 'Canvas Apron', price: 3690, categories: ['Textiles', 'Kitchen'], demand: 1, variants: COLOURS },
  { code: 'TEX-BLK', name: 'Wool Blanket', price: 8990, categories: ['Textiles', 'Home'], demand: 1, variants: COLOURS },
  {
    code: 'KIT-KNF',
    name: 'Kitchen Knife',
    price: 4900,
    categories: ['Kitchen'],
    demand: 2,
    variants: [
      ['Paring 9 cm', -2000],
      ['Chef 20 cm', 2000],
      ['Bread 22 cm', 1000],
    ],
  },
  {
    code: 'KIT-BRD',
    name: 'Oak Cutting Board',
    price: 3490,
    categories: ['Kitchen', 'Wood'],
    demand: 2,
    variants: [
      ['Small', 0],
      ['Large', 1800],
    ],
  },
  {
    code: 'KIT-JAR',
    name: 'Storage Jar with Cork',
    price: 990,
    categories: ['Kitchen', 'Home'],
    demand: 4,
    variants: [
      ['0.5 l', 0],
      ['1 l', 350],
      ['1.5 l', 600],
    ],
  },
  { code: 'HOM-CND', name: 'Beeswax Candle', price: 1390, categories: ['Home'], demand: 3, variants: [['', 0]] },
  { code: 'HOM-SOA', name: 'Olive Oil Soap', price: 690, categories: ['Home'], demand: 4, variants: [['', 0]] },
  { code: 'HOM-BRS', name: 'Dish Brush, Beech', price: 890, categories: ['Home', 'Wood'], demand: 3, variants: [['', 0]] },
  { code: 'SWT-CHO', name: 'Dark Chocolate 72 %', price: 450, categories: ['Sweets'], demand: 7, variants: [['', 0]] },
  { code: 'SWT-CAN', name: 'Cantuccini', price: 590, categories: ['Sweets'], demand: 4, variants: [['', 0]] },
  { code: 'SWT-HON', name: 'Forest Honey', price: 990, categories: ['Sweets'], demand: 3, variants: [['', 0]] },
  { code: 'GFT-BOX', name: 'Gift Box Morning', price: 3900, categories: ['Gifts', 'Coffee'], demand: 2, variants: [['', 0]] },
  { code: 'GFT-VCH', name: 'Gift Voucher', price: 2500, categories: ['Gifts'], demand: 2, variants: [['', 0]] },
];

/** Every article there is: first one of each line, then the second ones, so that the first few are a fair mix. */
export const CATALOGUE: readonly Article[] = Array.from({ length: 3 }, (_, place) =>
  LINES.flatMap(({ code, name, price, categories, demand, variants }) => {
    const variant = variants[place];
    if (!variant) return [];
    const [suffix, extra] = variant;
    const alone = variants.length === 1;
    return [
      {
        product_id: alone ? code : `${code}-${place + 1}`,
        name: alone ? name : `${name}, ${suffix}`,
        price: price + extra,
        categories,
        demand,
      },
    ];
  }),
).flat();

import type { Random } from './random.ts';

export interface Customer {
  customer_id: string;
  address: { name: string; street: string; city: string; zip: string; country: string };
}

const FIRST_NAMES = [
  ['Anna', 'Lena', 'Marie', 'Sofia', 'Emma', 'Clara', 'Ida', 'Nora', 'Julia', 'Katharina', 'Eva', 'Louise', 'Chiara', 'Zoë', 'Agnes'],
  ['Jonas', 'Paul', 'Lukas', 'Felix', 'Emil', 'Max', 'Noah', 'Theo', 'David', 'Matteo', 'Jan', 'Oskar', 'Hugo', 'René', 'Anton'],
].flat();
const LAST_NAMES = [
  ['Müller', 'Schmidt', 'Weber', 'Wagner', 'Becker', 'Hoffmann', 'Schäfer', 'Koch', 'Richter', 'Klein', 'Wolf', 'Neumann', 'Schwarz'],
  ['Gruber', 'Huber', 'Steiner', 'Moser', 'de Vries', 'Jansen', 'Bakker', 'Visser', 'Martin', 'Bernard', 'Dubois', 'Moreau', 'Keller'],
].flat();

interface City {
  name: string;
  country: string;
  zips: readonly string[];
  streets: readonly string[];
  /** People who live there, beside the others. */
  weight: number;
}

const GERMAN_STREETS = [
  'Hauptstraße',
  'Gartenstraße',
  'Lindenweg',
  'Bergstraße',
  'Schillerstraße',
  'Am Markt',
  'Bahnhofstraße',
  'Rosenweg',
];
const DUTCH_STREETS = ['Prinsengracht', 'Kerkstraat', 'Dorpsstraat', 'Molenweg', 'Oranjestraat'];
const FRENCH_STREETS = ['Rue de la Paix', 'Rue Victor Hugo', 'Avenue de la République', 'Rue des Écoles', 'Place du Marché'];

const CITIES: readonly City[] = [
  { name: 'Berlin', country: 'DE', zips: ['10115', '10435', '10997', '12047', '13353'], streets: GERMAN_STREETS, weight: 12 },
  { name: 'Hamburg', country: 'DE', zips: ['20095', '20357', '22765', '22087'], streets: GERMAN_STREETS, weight: 8 },
  { name: 'München', country: 'DE', zips: ['80331', '80799', '81541', '81667'], streets: GERMAN_STREETS, weight: 8 },
  { name: 'Köln', country: 'DE', zips: ['50667', '50823', '51103'], streets: GERMAN_STREETS, weight: 5 },
  { name: 'Leipzig', country: 'DE', zips: ['04103', '04229', '04315'], streets: GERMAN_STREETS, weight: 4 },
  { name: 'Freiburg im Breisgau', country: 'DE', zips: ['79098', '79110'], streets: GERMAN_STREETS, weight: 2 },
  { name: 'Göttingen', country: 'DE', zips: ['37073', '37085'], streets: GERMAN_STREETS, weight: 2 },
  { name: 'Wien', country: 'AT', zips: ['1010', '1070', '1160', '1220'], streets: GERMAN_STREETS, weight: 5 },
  { name: 'Graz', country: 'AT', zips: ['8010', '8020'], streets: GERMAN_STREETS, weight: 2 },
  { name: 'Zürich', country: 'CH', zips: ['8001', '8004', '8050'], streets: GERMAN_STREETS, weight: 3 },
  { name: 'Amsterdam', country: 'NL', zips: ['1012 AB', '1053 KL', '1091 GH'], streets: DUTCH_STREETS, weight: 4 },
  { name: 'Utrecht', country: 'NL', zips: ['3511 BE', '3572 TC'], streets: DUTCH_STREETS, weight: 2 },
  { name: 'Strasbourg', country: 'FR', zips: ['67000', '67200'], streets: FRENCH_STREETS, weight: 2 },
  { name: 'Lyon', country: 'FR', zips: ['69002', '69007'], streets: FRENCH_STREETS, weight: 2 },
];

const WEIGHTED_CITIES = CITIES.map((city) => [city, city.weight] as const);

export function newCustomer(random: Random, number: number): Customer {
  const city = random.weighted(WEIGHTED_CITIES);
  const house = random.between(1, 120);
  const street = random.pick(city.streets);
  return {
    customer_id: `C-${String(10_000 + number)}`,
    address: {
      name: `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`,
      street: city.country === 'FR' ? `${house} ${street}` : `${street} ${house}`,
      city: city.name,
      zip: random.pick(city.zips),
      country: city.country,
    },
  };
}

export interface Flight {
  readonly flight: string;
  readonly airline: string;
  readonly departs: string;
  readonly price: number;
}

export interface Hotel {
  readonly hotel: string;
  readonly stars: number;
  readonly perNight: number;
}

const CITIES = ['Lisbon', 'Rome', 'Oslo', 'Vienna', 'Tokyo', 'Paris', 'Athens', 'Porto', 'Berlin'];

/** The city somebody speaks of. */
export function cityIn(text: string): string {
  return CITIES.find((city) => text.toLowerCase().includes(city.toLowerCase())) ?? 'Lisbon';
}

export function flightsTo(city: string): readonly Flight[] {
  const base = 80 + city.length * 9;
  return [
    { flight: 'TP 571', airline: 'TAP', departs: 'Fri 17:40', price: base + 41 },
    { flight: 'LH 1166', airline: 'Lufthansa', departs: 'Fri 19:05', price: base + 67 },
    { flight: 'U2 7641', airline: 'easyJet', departs: 'Sat 06:20', price: base },
  ];
}

export function hotelsIn(city: string): readonly Hotel[] {
  return [
    { hotel: `Casa ${city}`, stars: 4, perNight: 112 },
    { hotel: `${city} Riverside`, stars: 3, perNight: 84 },
  ];
}

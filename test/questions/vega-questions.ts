// Questions over public data sets, each with the query a person would write for it. Written without a look at what any
// provider makes of them; a question that turns out hard stays.

/** A query as a person would write it, in the words of the data endpoints. */
export interface ExpectedQuery {
  readonly object: string
  readonly filter?: Readonly<Record<string, unknown>>
  readonly sort?: string
  /** Absent for all of them. */
  readonly top?: number
  /** Function and field of a value over records; a count has no field. */
  readonly value?: readonly [fn: 'count' | 'sum' | 'avg' | 'min' | 'max', field?: string]
  readonly groupBy?: string
}

/** A question with its query. */
export type Question = readonly [question: string, query: ExpectedQuery]

const movies = (filter: ExpectedQuery['filter'] = {}, more: Partial<ExpectedQuery> = {}): ExpectedQuery => ({
  object: 'movie',
  filter,
  ...more,
})
const cars = (filter: ExpectedQuery['filter'] = {}, more: Partial<ExpectedQuery> = {}): ExpectedQuery => ({
  object: 'car',
  filter,
  ...more,
})
const penguins = (filter: ExpectedQuery['filter'] = {}, more: Partial<ExpectedQuery> = {}): ExpectedQuery => ({
  object: 'penguin',
  filter,
  ...more,
})
const airports = (filter: ExpectedQuery['filter'] = {}, more: Partial<ExpectedQuery> = {}): ExpectedQuery => ({
  object: 'airport',
  filter,
  ...more,
})
const days = (filter: ExpectedQuery['filter'] = {}, more: Partial<ExpectedQuery> = {}): ExpectedQuery => ({
  object: 'weather_day',
  filter,
  ...more,
})

/** The questions. */
export const questions: readonly Question[] = [
  ['show all movies', movies()],
  ['comedy movies', movies({ genre: 'Comedy' })],
  ['horror movies rated R', movies({ genre: 'Horror', mpaa_rating: 'R' })],
  ['movies with an IMDB rating above 8', movies({ imdb_rating: { $gt: 8 } })],
  ['movies with IMDB rating of at least 8.5', movies({ imdb_rating: { $gte: 8.5 } })],
  ['movies with a production budget over 200000000', movies({ production_budget: { $gt: 200_000_000 } })],
  ['westerns', movies({ genre: 'Western' })],
  ['movies directed by Steven Spielberg', movies({ director: 'Steven Spielberg' })],
  ['movies where director is Woody Allen', movies({ director: 'Woody Allen' })],
  ['movies without a genre', movies({ genre: { $null: true } })],
  ['movies released in 2005', movies({ release_date: { $gte: '2005-01-01', $lte: '2005-12-31' } })],
  ['movies released after 2008-12-31', movies({ release_date: { $gt: '2008-12-31' } })],
  ['movies released before 1960', movies({ release_date: { $lt: '1960-01-01' } })],
  ['how many movies are there', movies({}, { value: ['count'] })],
  ['how many drama movies', movies({ genre: 'Drama' }, { value: ['count'] })],
  ['number of movies by genre', movies({}, { value: ['count'], groupBy: 'genre' })],
  ['average IMDB rating of movies', movies({}, { value: ['avg', 'imdb_rating'] })],
  ['average IMDB rating by genre', movies({}, { value: ['avg', 'imdb_rating'], groupBy: 'genre' })],
  [
    'total worldwide gross of movies by distributor',
    movies({}, { value: ['sum', 'worldwide_gross'], groupBy: 'distributor' }),
  ],
  ['top 10 movies by worldwide gross', movies({}, { sort: '-worldwide_gross', top: 10 })],
  ['movies with the title containing Star Wars', movies({ title: { $contains: 'Star Wars' } })],
  ['movies based on real life events', movies({ source: 'Based_on_Real_Life_Events' })],
  ['action or adventure movies', movies({ genre: { $in: ['Action', 'Adventure'] } })],
  ['PG-13 movies with running time over 150', movies({ mpaa_rating: 'PG-13', running_time: { $gt: 150 } })],

  ['show me all cars', cars()],
  ['cars from Japan', cars({ origin: 'Japan' })],
  ['Japanese cars', cars({ origin: 'Japan' })],
  ['cars with more than 200 horsepower', cars({ horsepower: { $gt: 200 } })],
  ['cars with 8 cylinders', cars({ cylinders: 8 })],
  ['cars with 4 cylinders from Europe', cars({ cylinders: 4, origin: 'Europe' })],
  ['cars with less than 15 miles per gallon', cars({ miles_per_gallon: { $lt: 15 } })],
  ['cars that weigh more than 5000', cars({ weight: { $gt: 5000 } })],
  ['cars with weight between 2000 and 2500', cars({ weight: { $between: [2000, 2500] } })],
  ['cars without horsepower', cars({ horsepower: { $null: true } })],
  ['cars not from the USA', cars({ origin: { $ne: 'USA' } })],
  ['cars from Japan or Europe', cars({ origin: { $in: ['Japan', 'Europe'] } })],
  ['how many cars are from Europe', cars({ origin: 'Europe' }, { value: ['count'] })],
  ['number of cars per origin', cars({}, { value: ['count'], groupBy: 'origin' })],
  ['average horsepower of cars by origin', cars({}, { value: ['avg', 'horsepower'], groupBy: 'origin' })],
  ['average miles per gallon of cars from Japan', cars({ origin: 'Japan' }, { value: ['avg', 'miles_per_gallon'] })],
  ['highest horsepower of cars', cars({}, { value: ['max', 'horsepower'] })],
  ['lowest weight of cars from the USA', cars({ origin: 'USA' }, { value: ['min', 'weight'] })],
  ['top 5 cars by acceleration', cars({}, { sort: '-acceleration', top: 5 })],
  ['cars sorted by horsepower descending', cars({}, { sort: '-horsepower' })],
  ['cars with name containing ford', cars({ name: { $contains: 'ford' } })],
  ['cars whose name starts with toyota', cars({ name: { $startsWith: 'toyota' } })],
  [
    'cars with horsepower at least 150 and weight under 4000',
    cars({ horsepower: { $gte: 150 }, weight: { $lt: 4000 } }),
  ],
  ['cars with year after 1980-01-01', cars({ year: { $gt: '1980-01-01' } })],

  ['list the penguins', penguins()],
  ['Gentoo penguins', penguins({ species: 'Gentoo' })],
  ['penguins on Dream', penguins({ island: 'Dream' })],
  ['Adelie penguins on the island Biscoe', penguins({ species: 'Adelie', island: 'Biscoe' })],
  ['female penguins', penguins({ sex: 'FEMALE' })],
  ['male Chinstrap penguins', penguins({ sex: 'MALE', species: 'Chinstrap' })],
  ['penguins with a body mass over 6000', penguins({ body_mass: { $gt: 6000 } })],
  ['penguins with body mass of at most 3000', penguins({ body_mass: { $lte: 3000 } })],
  ['penguins with flipper length above 220', penguins({ flipper_length: { $gt: 220 } })],
  ['penguins without a sex', penguins({ sex: { $null: true } })],
  ['penguins where sex is missing', penguins({ sex: { $null: true } })],
  ['how many penguins live on Torgersen', penguins({ island: 'Torgersen' }, { value: ['count'] })],
  ['how many penguins by species', penguins({}, { value: ['count'], groupBy: 'species' })],
  ['count of penguins per island', penguins({}, { value: ['count'], groupBy: 'island' })],
  ['average body mass of penguins by species', penguins({}, { value: ['avg', 'body_mass'], groupBy: 'species' })],
  ['mean beak length of Adelie penguins', penguins({ species: 'Adelie' }, { value: ['avg', 'beak_length'] })],
  ['maximum flipper length of penguins', penguins({}, { value: ['max', 'flipper_length'] })],
  ['the 3 heaviest penguins', penguins({}, { sort: '-body_mass', top: 3 })],
  ['top 5 penguins by body mass', penguins({}, { sort: '-body_mass', top: 5 })],
  ['penguins that are not Adelie', penguins({ species: { $ne: 'Adelie' } })],
  ['Gentoo or Chinstrap penguins', penguins({ species: { $in: ['Gentoo', 'Chinstrap'] } })],
  ['penguins with beak length between 50 and 55', penguins({ beak_length: { $between: [50, 55] } })],
  [
    'penguins with beak depth under 14 and body mass over 5000',
    penguins({ beak_depth: { $lt: 14 }, body_mass: { $gt: 5000 } }),
  ],
  ['penguins ordered by flipper length', penguins({}, { sort: 'flipper_length' })],

  ['show airports', airports()],
  ['airports in Texas', airports({ state: 'TX' })],
  ['airports with state TX', airports({ state: 'TX' })],
  ['airports in the city Houston', airports({ city: 'Houston' })],
  ['airports where city is Chicago', airports({ city: 'Chicago' })],
  ['airports with latitude above 65', airports({ latitude: { $gt: 65 } })],
  ['airports with longitude less than -160', airports({ longitude: { $lt: -160 } })],
  ['airports with latitude between 40 and 40.5', airports({ latitude: { $between: [40, 40.5] } })],
  ['airports whose name contains International', airports({ name: { $contains: 'International' } })],
  ['airports with name starting with San', airports({ name: { $startsWith: 'San' } })],
  ['airports with iata code SEA', airports({ iata: 'SEA' })],
  ['how many airports are there', airports({}, { value: ['count'] })],
  ['how many airports have state AK', airports({ state: 'AK' }, { value: ['count'] })],
  ['number of airports by state', airports({}, { value: ['count'], groupBy: 'state' })],
  ['airports per country', airports({}, { value: ['count'], groupBy: 'country' })],
  ['average latitude of airports by state', airports({}, { value: ['avg', 'latitude'], groupBy: 'state' })],
  ['highest latitude of airports', airports({}, { value: ['max', 'latitude'] })],
  ['the 5 northernmost airports', airports({}, { sort: '-latitude', top: 5 })],
  ['top 5 airports by latitude', airports({}, { sort: '-latitude', top: 5 })],
  ['first 10 airports sorted by name', airports({}, { sort: 'name', top: 10 })],
  ['airports with state not TX and latitude under 26', airports({ state: { $ne: 'TX' }, latitude: { $lt: 26 } })],
  ['airports with state CA or NV', airports({ state: { $in: ['CA', 'NV'] } })],
  ['airports without a city', airports({ city: { $null: true } })],
  ['airports sorted by latitude descending', airports({}, { sort: '-latitude' })],

  ['list all weather days', days()],
  ['weather days with snow', days({ weather: 'snow' })],
  ['sunny weather days', days({ weather: 'sun' })],
  ['weather days where weather is rain', days({ weather: 'rain' })],
  ['weather days with precipitation over 30', days({ precipitation: { $gt: 30 } })],
  ['weather days with a maximum temperature above 33', days({ temp_max: { $gt: 33 } })],
  ['weather days with minimum temperature below 0', days({ temp_min: { $lt: 0 } })],
  ['weather days with wind of at least 8', days({ wind: { $gte: 8 } })],
  ['weather days in March 2013', days({ date: { $gte: '2013-03-01', $lte: '2013-03-31' } })],
  ['weather days in 2014', days({ date: { $gte: '2014-01-01', $lte: '2014-12-31' } })],
  ['weather days with date after 2015-06-01', days({ date: { $gt: '2015-06-01' } })],
  ['weather days between 2012-07-01 and 2012-07-10', days({ date: { $between: ['2012-07-01', '2012-07-10'] } })],
  ['how many weather days had fog', days({ weather: 'fog' }, { value: ['count'] })],
  ['number of weather days by weather', days({}, { value: ['count'], groupBy: 'weather' })],
  ['average wind of weather days by weather', days({}, { value: ['avg', 'wind'], groupBy: 'weather' })],
  ['total precipitation of weather days', days({}, { value: ['sum', 'precipitation'] })],
  ['total precipitation of weather days with rain', days({ weather: 'rain' }, { value: ['sum', 'precipitation'] })],
  ['highest wind of weather days', days({}, { value: ['max', 'wind'] })],
  ['the 5 windiest weather days', days({}, { sort: '-wind', top: 5 })],
  ['top 3 weather days by maximum temperature', days({}, { sort: '-temp_max', top: 3 })],
  ['weather days with rain or snow', days({ weather: { $in: ['rain', 'snow'] } })],
  ['weather days that are not rain', days({ weather: { $ne: 'rain' } })],
  ['weather days with no precipitation and wind above 8', days({ precipitation: 0, wind: { $gt: 8 } })],
  ['weather days with snow sorted by minimum temperature', days({ weather: 'snow' }, { sort: 'temp_min' })],
]

// The words of questions, in English and German. Every phrase is a list of stems; the longest one that fits is taken.
import { stemsOf } from './words.ts'

/** Phrases of one meaning each. */
export interface Phrase<T> {
  readonly stems: readonly string[]
  readonly means: T
}

/** Makes phrases: a meaning with its spellings, separated by `|`. */
export function phrases<T>(...entries: readonly (readonly [means: T, spellings: string])[]): readonly Phrase<T>[] {
  return entries
    .flatMap(([means, spellings]) => spellings.split('|').map((text) => ({ stems: stemsOf(text), means })))
    .toSorted((a, b) => b.stems.length - a.stems.length)
}

/** Comparisons between a field and a value. */
export const comparisonWords = phrases(
  ['$gte', 'at least|not less than|no less than|>=|mindestens|from'],
  ['$lte', 'at most|not more than|no more than|up to|<=|höchstens|maximal'],
  [
    '$gt',
    'greater than|more than|larger than|bigger than|higher than|over|above|exceeding|>|größer als|mehr als|höher als|über',
  ],
  ['$lt', 'less than|smaller than|lower than|fewer than|under|below|<|kleiner als|weniger als|niedriger als|unter'],
  ['$ne', 'is not|are not|not equal to|unequal to|other than|different from|!=|<>|ist nicht|ungleich'],
  ['$notContains', 'not containing|does not contain|without the word|enthält nicht'],
  ['$contains', 'containing|contains|contain|includes|including|include|enthält|enthalten'],
  ['$startsWith', 'starting with|starts with|start with|begins with|beginning with|beginnt mit|beginnen mit'],
  ['$endsWith', 'ending with|ends with|end with|ending in|endet mit|endet auf|enden auf'],
  ['$between', 'between|zwischen'],
  ['$eq', 'is|are|was|equals|equal to|equal|=|of|ist|sind|gleich'],
)

/** A value that is missing or there. */
export const presenceWords = phrases(
  [
    true,
    'is empty|are empty|is missing|is not set|are not set|is null|is unset|is blank|not set|empty|missing|unset|blank|ist leer|fehlt|nicht gesetzt|leer',
  ],
  [
    false,
    'is not empty|are not empty|is set|are set|is given|is filled|is not null|not empty|filled|ist gesetzt|ist nicht leer|nicht leer|gesetzt',
  ],
)

/** What is worked out over records. */
export const measureWords = phrases<'count' | 'sum' | 'avg'>(
  ['count', 'how many|number of|total number of|count of|count|wie viele|wieviele|anzahl der|anzahl'],
  ['sum', 'sum of|sum|total of|total|summe der|summe von|summe|gesamt|gesamte'],
  [
    'avg',
    'average of|average|avg|mean of|mean|durchschnittliche|durchschnittlicher|durchschnitt der|durchschnitt|mittlere',
  ],
)

/** Orders by size. */
export const superlativeWords = phrases<'max' | 'min'>(
  [
    'max',
    'highest|largest|biggest|greatest|maximum|max|most expensive|höchste|höchsten|größte|größten|teuerste|teuersten',
  ],
  ['min', 'lowest|smallest|least|minimum|min|cheapest|niedrigste|niedrigsten|kleinste|kleinsten|günstigste'],
)

/** Orders by age. */
export const ageWords = phrases<'asc' | 'desc'>(
  ['desc', 'newest first|newest|latest|most recent|recent|neueste|neuesten|jüngste|letzten'],
  ['asc', 'oldest first|oldest|earliest|älteste|ältesten|früheste'],
)

/** Words before the field records are grouped by, and before the one they are ordered by. */
export const groupWords = phrases([
  'group',
  'grouped by|group by|broken down by|for each|per|by|each|pro|je|nach|gruppiert nach',
])
export const sortWords = phrases([
  'sort',
  'sorted by|sort by|ordered by|order by|ranked by|sortiert nach|geordnet nach|sortieren nach',
])
export const directionWords = phrases<'asc' | 'desc'>(
  ['desc', 'descending|desc|from highest to lowest|highest first|newest first|largest first|absteigend'],
  ['asc', 'ascending|asc|from lowest to highest|lowest first|oldest first|smallest first|aufsteigend'],
)

/** How many. */
export const limitWords = phrases(['limit', 'top|first|limit|erste|ersten|die ersten'])

/** The caller. */
export const selfWords = phrases([
  'self',
  'assigned to me|owned by me|belonging to me|for me|my|mine|i have|i own|meine|meinen|meiner|von mir|mir zugewiesen|mir zugewiesene|mir zugewiesenen',
])
export const unassignedWords = phrases(['none', 'unassigned|nobody|without owner|nicht zugewiesen|niemandem'])
export const overdueWords = phrases([
  'overdue',
  'overdue|past due|late|delayed|überfällig|überfällige|überfälligen|verspätet',
])

/** Negations, and words that say that something is there or missing. */
export const negationWords = phrases(['not', 'not|non|except|excluding|isnt|arent|nicht|außer'])
export const lackWords = phrases([
  'lack',
  'without any|without a|without|with no|lacking|has no|have no|having no|no|ohne|kein|keine|keinen|missing',
])
export const haveWords = phrases([
  'have',
  'with a|with an|having a|having|that have|has a|have a|has|have|with|mit|haben|hat',
])
export const orWords = phrases(['or', 'or|oder'])
export const andWords = phrases(['and', 'and|und'])
export const nameWords = phrases([
  'name',
  'named|called|titled|with the name|with the title|namens|mit dem namen|genannt',
])
export const aboutWords = phrases(['about', 'about|mentioning|matching|regarding|über das thema|zum thema'])

/** Truth. */
export const truthWords = phrases([true, 'true|yes|ja|wahr'], [false, 'false|no|nein|falsch'])

/** Lengths of groups of days. */
export const granularityWords = phrases(
  ['day', 'day|daily|tag'],
  ['week', 'week|weekly|woche'],
  ['month', 'month|monthly|monat'],
  ['quarter', 'quarter|quarterly|quartal'],
  ['year', 'year|yearly|annually|jahr'],
)

/** Words that mean nothing by themselves. */
export const fillers: ReadonlySet<string> = new Set(
  stemsOf(
    'a an the all any show me mir list find get give display please search see want need would like to i we us our you can could what which who whose ' +
      'where when that those these there is are was were be been being do does did has have had of in on at for from with as and or it its them they ' +
      'records record entries entry items item everything only just currently now still there than then by ' +
      'der die das den dem des ein eine einen einer alle allen zeige zeig zeigen mir bitte finde finden suche gib gibt welche welcher welches was wer wo ' +
      'ist sind war waren sein es sie wir ich und oder von vom im in an am auf für mit zu zum zur bei aus nur noch gerade liste einträge datensätze',
  ),
)

/** Fields the platform keeps itself. */
export const systemFieldWords: readonly (readonly [field: string, spellings: string])[] = [
  ['created_at', 'created at|created on|created|creation date|added|erstellt am|erstellt|angelegt'],
  ['updated_at', 'updated at|updated|changed|modified|last changed|geändert|aktualisiert'],
  ['created_by', 'created by|creator|author|erstellt von|ersteller'],
  ['owner', 'owner|besitzer|eigentümer'],
]

// Chooses how an answer is labelled (GraphQL over HTTP, section "Media Types").
import { graphqlMediaType } from '#shared/contracts/graphql.ts'

/** The media type of an answer; JSON where the caller does not ask for the other one first. */
export function answerTypeOf(accept: string | undefined): 'application/json' | typeof graphqlMediaType {
  let best: { type: 'application/json' | typeof graphqlMediaType; quality: number } | null = null
  for (const part of (accept ?? '').split(',').slice(0, 50)) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase())
    const type = name === graphqlMediaType ? graphqlMediaType : jsonNames.has(name) ? 'application/json' : null
    if (type === null) continue
    const given = parameters.find((one) => one.startsWith('q='))
    const quality = given === undefined ? 1 : Number(given.slice(2))
    if (quality > 0 && (best === null || quality > best.quality)) best = { type, quality }
  }
  return best?.type ?? 'application/json'
}

/** Whether a caller knows answers of the older media type alone, which are 200 even where no document could be run. */
export function asksForJsonAlone(accept: string | undefined): boolean {
  const names = (accept ?? '').split(',').map((part) => part.split(';')[0]!.trim().toLowerCase())
  return names.every((name) => name === 'application/json')
}

const jsonNames = new Set(['application/json', 'application/*', '*/*'])

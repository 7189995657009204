// Answers batches, in JSON or as multipart messages: requests one after the other, and groups of writes that are done together or not at all.
import { platformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { RawJson } from '#main/kernel/reply.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { ODataAnswer, ODataService } from '../api.ts'
import type { BatchPart } from './batch-request.ts'
import { readBatch } from './batch-request.ts'
import type { PartAnswer } from './batch-answers.ts'
import { failureOf, resolveReference } from './batch-answers.ts'
import { answersOfGroup, stepsOfGroup } from './batch-group.ts'
import { multipartOf, multipartType, requestsOfMultipart } from './batch-multipart.ts'
import { formOf } from './request-words.ts'

/** What batches are answered with. */
export interface BatchParts {
  readonly data: DataService
  readonly metadata: MetadataService
  readonly base: () => string
  readonly answer: ODataService['answer']
}

/** Makes the batches. @source D-278 */
export function createBatch(parts: BatchParts): ODataService['batch'] {
  const { data, answer, base } = parts

  const answerPart = async (
    ctx: RequestContext,
    part: BatchPart,
    made: ReadonlyMap<string, string>,
  ): Promise<PartAnswer> => {
    try {
      return answerOf(part.id, await answer(ctx, { ...part, path: resolveReference(part.path, made) }))
    } catch (error) {
      return failureOf(ctx, part, error)
    }
  }

  const answerGroup = async (
    ctx: RequestContext,
    group: readonly BatchPart[],
    made: ReadonlyMap<string, string>,
  ): Promise<PartAnswer[]> => {
    try {
      const steps = stepsOfGroup(group, made, parts.metadata)
      const result = await data.write(ctx, steps, {
        atomic: true,
        returnRecords: true,
        continueOnError: false,
        validateOnly: false,
      })
      return answersOfGroup(ctx, group, result, { base: base(), metadata: parts.metadata })
    } catch (error) {
      return group.map((part) => ({ ...failureOf(ctx, part, error), atomicityGroup: part.group! }))
    }
  }

  return async (ctx, { body, headers }) => {
    const type = headers['content-type'] ?? ''
    const isMultipart = type.toLowerCase().startsWith(multipartType)
    const { version } = formOf(headers, undefined)
    const asked = { 'odata-maxversion': headers['odata-maxversion'] ?? version }
    const all = readBatch(isMultipart ? requestsOfMultipart(String(body), type) : body).map((part) => ({
      ...part,
      headers: { ...asked, ...part.headers },
    }))
    const goesOn = /(?:^|[,;\s])(?:odata\.)?continue-on-error(?:\s*=\s*"?true"?)?\s*(?:[,;]|$)/i.test(
      headers['prefer'] ?? '',
    )
    const responses: PartAnswer[] = []
    const failed = new Set<string>()
    /** Paths of entities that requests have made or named, by the id of the request. */
    const made = new Map<string, string>()
    for (let index = 0; index < all.length;) {
      const part = all[index]!
      const group = part.group === null ? [part] : groupFrom(all, index)
      index += group.length
      const needed = group.flatMap(({ dependsOn }) => dependsOn).filter((name) => failed.has(name))
      const answers =
        needed.length > 0
          ? group.map((part) =>
              failureOf(ctx, part, platformError('conflict', { reason: 'dependency_failed', dependsOn: needed })),
            )
          : part.group === null
            ? [await answerPart(ctx, part, made)]
            : await answerGroup(ctx, group, made)
      responses.push(...answers)
      for (const { id, status, headers: own } of answers) {
        if (status >= 400) failed.add(id).add(part.group ?? id)
        const url = own?.['location'] ?? own?.['odata-entityid']
        if (url !== undefined) made.set(id, url.slice(base().length + 1))
      }
      if (!goesOn && answers.some(({ status }) => status >= 400)) break
    }
    const own = { 'OData-Version': version }
    if (isMultipart) return { status: 200, ...multipartOf(responses, `batch_${ctx.requestId}`), headers: own }
    return { status: 200, body: { responses }, headers: own }
  }
}

/** The requests of a group stand next to each other. */
function groupFrom(all: readonly BatchPart[], start: number): BatchPart[] {
  const group: BatchPart[] = []
  for (let index = start; all[index]?.group === all[start]!.group && index < all.length; index += 1)
    group.push(all[index]!)
  return group
}

function answerOf(id: string, { status, body, contentType, headers }: ODataAnswer): PartAnswer {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  const type = contentType === undefined ? [] : [['content-type', contentType]]
  const all = Object.fromEntries([...named, ...type]) as Record<string, string>
  const told: unknown = body instanceof RawJson ? JSON.parse(body.text) : body
  return { id, status, headers: all, ...(told === undefined ? {} : { body: told }) }
}

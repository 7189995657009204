// Handlers of GraphQL over HTTP: what is asked in, answers with their media type out.
import type { graphqlRoutes } from '#shared/contracts/graphql.ts'
import { validationError } from '#shared/errors.ts'
import type { RouteResult } from '#shared/route.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, RawJson, Reply } from '#main/kernel/reply.ts'
import type { GraphqlReply } from './service/answers.ts'
import { requestOfBody, requestOfQuery } from './service/graphql-request.ts'
import { answerTypeOf, asksForJsonAlone } from './service/media-types.ts'
import type { GraphqlRunner } from './service.ts'

type Answer = RouteResult<(typeof graphqlRoutes)['runGraphql']>

/** Binds the routes to the service. */
export function graphqlHandlers(service: GraphqlRunner): Handlers<typeof graphqlRoutes> {
  return {
    runGraphql: async (ctx, { body, headers }) =>
      replyOf(await service.run(ctx, () => requestOfBody(body), false), headers['accept']),
    queryGraphql: async (ctx, { query, headers }) =>
      replyOf(
        await service.run(
          ctx,
          () => {
            // A page of another site can lead a browser to an address, not set a header on the way (D-181).
            if (headers['x-requested-with'] === undefined) throw missingHeader()
            return requestOfQuery(query)
          },
          true,
        ),
        headers['accept'],
      ),
    getGraphqlSchema: async (ctx) => new ByteStream(await service.sdl(ctx), 'text/plain; charset=utf-8'),
  }
}

function missingHeader() {
  const message = 'A query by GET needs the header X-Requested-With.'
  return validationError([{ field: 'X-Requested-With', code: 'required', message }])
}

function replyOf(reply: GraphqlReply | RawJson, accept: string | undefined): Reply<Answer | RawJson> {
  const contentType = `${answerTypeOf(accept)}; charset=utf-8`
  if (reply instanceof RawJson) return new Reply(reply, { headers: { 'content-type': contentType } })
  const { status, body } = reply
  const isDocument = status === 400 && body.error?.code === 'invalid_query'
  return new Reply<Answer | RawJson>(body as unknown as Answer, {
    // What is wrong with a document is an answer of the language, not of HTTP, to those who know JSON alone (D-326).
    status: isDocument && asksForJsonAlone(accept) ? 200 : status,
    headers: {
      'content-type': contentType,
      ...(status === 405 ? { allow: 'POST' } : {}),
    },
  })
}

// A server on loopback that answers the contract of sync out of a scene a test sets: what the screens show is decided here,
// and every question and answer is checked against the contract. Knows no screen and no rule of sync.
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { z } from 'zod'
import { syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import type { SyncProblem, SyncWaiting } from '#shared/contracts/sync-conflicts.ts'
import type {
  SyncAside,
  SyncInvite,
  SyncPairing,
  SyncPeer,
  SyncRecordState,
  SyncSettingsAnswer,
  SyncStatus,
} from '#shared/contracts/sync-parts.ts'
import { syncPeerRoutes } from '#shared/contracts/sync.ts'
import type { AnyRoute } from '#shared/route.ts'

/** What the host is to know of sync; tests change it as they go. */
export interface SyncScene {
  status: z.infer<typeof SyncStatus>
  settings: z.infer<typeof SyncSettingsAnswer>
  peers: z.infer<typeof SyncPeer>[]
  problems: z.infer<typeof SyncProblem>[]
  aside?: z.infer<typeof SyncAside>['objects']
  waiting?: z.infer<typeof SyncWaiting>[]
  invite: z.infer<typeof SyncInvite>
  pairing: z.infer<typeof SyncPairing>
  record: Omit<z.infer<typeof SyncRecordState>, 'object' | 'id'>
  /** Operations that are refused, with the error they answer. */
  refusals: Record<string, { httpStatus: number; code: string; details?: Record<string, unknown> }>
  /** What was asked that changes something, in order: operation and body. */
  asked: { operation: string; body: unknown }[]
}

/** A running server. */
export interface SyncAnswers {
  readonly url: string
  scene: SyncScene
  stop(): Promise<void>
}

const routes: Readonly<Record<string, AnyRoute>> = { ...syncPeerRoutes, ...syncConflictRoutes }

interface Question {
  operation: string
  route: AnyRoute
  params: Record<string, string>
}

/** Finds the operation of a request; paths with fixed words come before those with parameters. */
function questionOf(method: string, path: string): Question | undefined {
  const found: Question[] = Object.entries(routes).flatMap(([operation, route]) => {
    const pattern = new RegExp(`^/api/v1${route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
    const match = route.method === method ? pattern.exec(path) : null
    return match ? [{ operation, route, params: { ...match.groups } }] : []
  })
  return found.toSorted((one, other) => Object.keys(one.params).length - Object.keys(other.params).length)[0]
}

/** Starts the server. */
export async function startSyncAnswers(scene: SyncScene): Promise<SyncAnswers> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    void bodyOf(request)
      .then((body) => {
        const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
        const question = questionOf(request.method ?? 'GET', pathname)
        if (!question) return answer(404, errorBody(404, 'resource_not_found'))
        const { operation, route, params } = question
        if (route.body && !route.body.safeParse(body).success) return answer(400, errorBody(400, 'validation_error'))
        if (request.method !== 'GET') answers.scene.asked.push({ operation, body })
        const refusal = answers.scene.refusals[operation]
        if (refusal) return answer(refusal.httpStatus, errorBody(refusal.httpStatus, refusal.code, refusal.details))
        const given = answerOf(answers.scene, operation, params, body as Record<string, never>)
        return answer(route.status ?? 200, route.response.parse(given))
      })
      .catch((error: unknown) => answer(500, errorBody(500, 'internal_error', { cause: String(error) })))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const answers: SyncAnswers = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    scene,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return answers
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? undefined : JSON.parse(text)
}

function errorBody(httpStatus: number, code: string, details: Record<string, unknown> = {}): unknown {
  const rest = { category: 'request', retryable: false, requestId: '0197b2f0-0000-7000-8000-000000000000' }
  return { success: false, error: { code, message: 'The request was refused.', httpStatus, details, ...rest } }
}

/** Answers from the scene, and changes the scene the way a host would at once. */
function answerOf(
  scene: SyncScene,
  operation: string,
  params: Record<string, string>,
  body: Record<string, unknown> | undefined,
): unknown {
  const peer = scene.peers.find(({ id }) => id === params['id'])
  const { pairing } = scene
  switch (operation) {
    case 'getSyncStatus':
      return scene.status
    case 'enableSync':
      scene.status = { ...scene.status, state: 'preparing', progress: { done: 0, total: 12_000 } }
      return scene.status
    case 'disableSync':
      scene.status = { ...scene.status, state: 'off' }
      return scene.status
    case 'getSyncSettings':
      return scene.settings
    case 'updateSyncSettings':
      scene.settings = { ...scene.settings, settings: { ...scene.settings.settings, ...body } }
      return scene.settings
    case 'listSyncPeers':
      return { peers: scene.peers }
    case 'updateSyncPeer': {
      const { paused, ...rest } = body ?? {}
      Object.assign(peer!, rest, paused === undefined ? {} : { state: paused === true ? 'paused' : 'connecting' })
      return { peer }
    }
    case 'removeSyncPeer':
      scene.peers = scene.peers.filter(({ id }) => id !== params['id'])
      return { id: params['id'], success: true }
    case 'reconnectSyncPeer':
      peer!.state = 'connecting'
      return { peer }
    case 'listSyncAside':
      return { objects: scene.aside ?? [] }
    case 'adoptSyncAside': {
      const names = body?.['objects'] as string[]
      scene.aside = scene.aside?.filter(({ object }) => !names.includes(object)) ?? []
      return { objects: scene.aside }
    }
    case 'invitePairing':
      return scene.invite
    case 'joinPairing':
    case 'getPairing':
      return pairing
    case 'confirmPairing':
      Object.assign(
        pairing,
        body?.['matches'] === true ? { state: 'confirmed' } : { state: 'failed', reason: 'not_matching' },
      )
      return pairing
    case 'cancelPairing':
      Object.assign(pairing, { state: 'failed', reason: 'cancelled' })
      return pairing
    case 'verifySync':
      return { verificationId: '0197b2f0-0000-7000-8000-000000000001' }
    case 'getSyncRecord':
      return { object: params['object'], id: params['id'], ...scene.record }
    case 'listSyncProblems':
      return { problems: scene.problems, waiting: scene.waiting ?? [], total: scene.problems.length, hasMore: false }
    case 'retrySyncProblem':
      scene.problems = scene.problems.filter(({ inc, seq }) => `${inc}/${seq}` !== `${params['inc']}/${params['seq']}`)
      return { success: true }
    case 'listConflicts':
      return { conflicts: [], total: 0, hasMore: false }
    case 'getSyncDiagnostics':
      return {
        at: new Date().toISOString(),
        appVersion: '0.1.0',
        protocol: 1,
        status: scene.status,
        vector: [],
        digest: null,
        peers: scene.peers,
        problems: scene.problems,
        waiting: [],
      }
    default:
      throw new Error(`the scene has no answer for ${operation}`)
  }
}

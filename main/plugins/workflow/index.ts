// The workflow plugin: state machines people walk through, and approvals on the way (D-163 to D-167).
import { localOwnerId } from '#main/kernel/context.ts'
import { workflowRoutes } from '#shared/contracts/workflow.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { workflowErrors } from './errors.ts'
import { workflowMigrations } from './migrations/index.ts'
import { workflowHandlers } from './routes.ts'
import { createWorkflowOperations } from './service.ts'
import { approvalEvents, createAnnouncer } from './service/announce.ts'
import { createApprovals, touchedEvent } from './service/approvals.ts'
import { createApprovers } from './service/approvers.ts'
import { createConcluding } from './service/concluding.ts'
import { createDeciding } from './service/deciding.ts'
import { createEscalation } from './service/escalation.ts'
import { startEscalationTimer } from './service/escalation-timer.ts'
import { workflowNodes } from './service/flow-nodes.ts'
import { createHistory, transitionedEvent } from './service/history.ts'
import { createLocks } from './service/locks.ts'
import { createMachines } from './service/machines.ts'
import { createRequests } from './service/requests.ts'
import { createSettling } from './service/settling.ts'
import { createStates } from './service/states.ts'
import { createTransitions } from './service/transitions.ts'
import { createTravelling } from './service/travelling.ts'
import { subscribe } from './subscribers.ts'

/** Shows workflows, makes transitions, asks for approvals and holds records while they are awaited. */
export const workflowPlugin = definePlugin({
  id: 'workflow',
  version: '1.0.0',
  requires: ['metadata', 'permissions', 'data'],
  optional: ['auth', 'feed', 'notifications', 'automation'],
  discovery: {
    service: 'workflow',
    routeKey: 'workflow',
    route: '/workflow',
    moreRoutes: { approvals: '/approvals' },
    feature: 'workflow',
  },
  contract: workflowRoutes,
  errors: workflowErrors,
  migrations: workflowMigrations,
  emits: [transitionedEvent, ...approvalEvents, touchedEvent],
  register(host) {
    const { read, write, clock, ids, log } = host
    const metadata = host.service('metadata')
    const permissions = host.service('permissions')
    const data = host.service('data')
    const auth = host.optionalService('auth')
    const automation = host.optionalService('automation')
    const authorizer = () => host.authorizer
    const machines = createMachines({ metadata, data, authorizer })
    const locks = createLocks(read, permissions)
    const history = createHistory({ read, clock, ids, data, metadata })
    const requests = createRequests({ read, data, machines, authorizer })
    const states = createStates({ read, data, locks, history, requests })
    const approvers = createApprovers({ auth, permissions, metadata })
    const announcer = createAnnouncer({
      feed: host.optionalService('feed'),
      notifications: host.optionalService('notifications'),
      isHere: (userId) => userId === localOwnerId || auth()?.user(userId) !== undefined,
    })
    const approvals = createApprovals({
      read,
      clock,
      ids,
      locks,
      machines,
      approvers,
      announcer,
      automation,
      organizationOf: (reads, object, recordId) =>
        auth()?.hasOrganizations === true ? permissions.organizationOf(reads, object, recordId) : null,
    })
    const nameOf = (userId: string): string | null => auth()?.user(userId)?.name ?? null
    const { settle, conclude } = createSettling({ read, write, data, machines, history, locks, approvals, nameOf })
    const deciding = createDeciding({
      read,
      write,
      data,
      authorizer,
      permissions,
      machines,
      approvers,
      approvals,
      settle,
    })
    const transition = createTransitions({ read, data, machines, states, history, approvals })
    const operations = createWorkflowOperations({
      read,
      data,
      machines,
      states,
      requests,
      deciding,
      locks,
      transition,
    })
    data.setLocks(locks)
    const concludeAll = createConcluding({ read, ids, log, conclude })
    const travelling = createTravelling({
      data,
      locks,
      machines,
      approvals,
      announcer,
      automation,
      came: (tx) =>
        tx.whenOnDisk(() => {
          concludeAll().catch((error: unknown) => log.error({ err: error }, 'Approvals could not be ended.'))
        }),
    })
    const workflow = { ...operations.service, ...travelling }
    host.provide('workflow', workflow)
    host.handle(workflowRoutes, workflowHandlers(operations))
    for (const node of workflowNodes({ data, machines, states, approvals, workflow }))
      automation()?.registerNodeType(node)
    subscribe(host, { metadata, history, approvals })
    const parts = { read, write, clock, ids, log, machines, states, approvers, approvals, deciding, announcer }
    const escalate = createEscalation(parts)
    const look = async (): Promise<void> => {
      await concludeAll()
      await escalate()
    }
    host.dispose(startEscalationTimer(look, log))
  },
})

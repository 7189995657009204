// Nodes that tell people: notifications and mails. Both are queued in the transaction that ends the step, so each leaves
// once.
import { z } from 'zod'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import { escapeHtml } from '#shared/expression/templates.ts'
import type { Write } from '#main/kernel/database.ts'
import type { MailService } from '#main/plugins/mail/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { NotificationsService } from '#main/plugins/notifications/api.ts'
import type { NodeCall, NodeOutcome, NodeType } from '../../api.ts'
import { FreeMap, defineNodeType } from './node-type.ts'

/** What the nodes work with. */
export interface MessageParts {
  readonly notifications: () => Pick<NotificationsService, 'notify'> | undefined
  readonly mail: () => Pick<MailService, 'isConfigured' | 'queue'> | undefined
  readonly metadata: Pick<MetadataService, 'get'>
  readonly write: Write
  /** Whether there is such a user where a run works. */
  readonly isUser: (userId: string, organizationId: string | null) => boolean
}

const maxReceivers = 1_000
const Receivers = z.union([z.string().min(1), z.array(z.string().min(1)).max(maxReceivers)])
const Channel = z.enum(['in_app', 'email', 'push', 'slack'])

/** Makes the node types. */
export function messageNodes({ notifications, mail, metadata, isUser, write }: MessageParts): NodeType[] {
  const notify = defineNodeType({
    type: 'notify',
    name: 'Notify',
    description: 'Notifies users.',
    icon: 'bell',
    category: 'io',
    configSchema: z.looseObject({
      to: Receivers,
      title: z.string().min(1).max(500),
      body: z.string().max(10_000).default(''),
      channels: z.array(Channel).default(['in_app']),
      actionUrl: z.string().startsWith('#/').optional(),
    }),
    effect: 'transaction',
    execute({ config, ctx, run, key, subject }) {
      const service = notifications() ?? absent('notifications')
      const users = [...new Set(listOf(config.to))]
      const unknown = users.filter((user) => !isUser(user, ctx.organizationId))
      if (unknown.length > 0)
        throw validationError([
          { field: 'config.to', code: 'invalid_reference', message: 'There is no such user.', value: unknown[0] },
        ])
      const { title, body, channels, actionUrl } = config
      const { object, recordId } = subject
      return {
        output: { count: users.length },
        commit(tx) {
          for (const userId of users) {
            service.notify(tx, {
              userId,
              type: 'flow',
              title,
              body,
              channels,
              data: {
                flow: run.flowName,
                runId: run.id,
                ...(object === null || recordId === null ? {} : { object, recordId }),
              },
              dedupeKey: `flow:${run.id}:${key}`,
              ...(actionUrl === undefined ? {} : { actionUrl }),
              ...(ctx.organizationId === null ? {} : { organizationId: ctx.organizationId }),
            })
          }
        },
      }
    },
  })

  const sendEmail = defineNodeType({
    type: 'send_email',
    name: 'Send e-mail',
    description: 'Sends a mail, written here or made of a template.',
    icon: 'mail',
    category: 'io',
    configSchema: z
      .looseObject({
        to: Receivers,
        subject: z.string().max(1_000).optional(),
        body: z.string().optional(),
        template: z.string().optional(),
        data: FreeMap.optional(),
      })
      .refine(
        ({ body, template }) => (body === undefined) !== (template === undefined),
        'A mail has a body or a template.',
      )
      .refine(({ subject, template }) => subject !== undefined || template !== undefined, 'A mail has a subject.'),
    effect: 'transaction',
    async execute({ config, run, key, subject, fill, finish }) {
      const service = mail()
      if (service?.isConfigured() !== true) return absent('mail')
      const { subject: title, text, html } = wordsOf(config, fill)
      const addresses = [...new Set(listOf(config.to))]
      return write('automation.mail', (tx) => {
        const messageIds = addresses.map((to, at) => {
          const id = service.queue(tx, {
            to,
            subject: title,
            text,
            ...(html === undefined ? {} : { html }),
            dedupeKey: `flow:${run.id}:${key}:${at}`,
            ...(subject.recordId === null ? {} : { about: [subject.recordId] }),
          })
          if (id !== null) return id
          throw validationError([
            { field: 'config.to', code: 'invalid_email', message: 'The receiver is no address.', value: to },
          ])
        })
        const outcome: NodeOutcome = { output: { messageId: messageIds[0] ?? null, messageIds } }
        finish(tx, outcome)
        return outcome
      })
    },
  })

  /** @throws resource_not_found for a template that is not there */
  const wordsOf = (
    config: {
      subject?: string | undefined
      body?: string | undefined
      template?: string | undefined
      data?: Readonly<Record<string, unknown>> | undefined
    },
    fill: NodeCall['fill'],
  ): { subject: string; text: string; html?: string } => {
    if (config.template === undefined) return { subject: config.subject ?? '', text: config.body ?? '' }
    const item = metadata.get('email_template', config.template)?.item
    if (item === undefined) throw notFound('email_template', config.template)
    const { subject, text, html } = item
    const locals = { ...config.data, data: config.data ?? {} }
    const filled = fill({ subject, text }, locals) as Record<string, unknown>
    return {
      subject: config.subject ?? textOf(filled['subject']),
      text: textOf(filled['text']),
      // What somebody wrote into a record is no part of the page.
      ...(typeof html === 'string' ? { html: fill(html, locals, escapeHtml) as string } : {}),
    }
  }

  return [notify, sendEmail]
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string'
    ? value
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
    : value
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)
}

function absent(service: string): never {
  throw platformError('service_unavailable', {
    reason: 'not_installed',
    message: `The service "${service}" is not installed or not configured.`,
  })
}

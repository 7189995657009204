// Contracts of notifications: inbox, devices, preferences (specification "Notifications", D-177). Bare bodies.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { QueryBoolean, QueryInteger } from './common.ts'

/** What a notification is about. */
export const NotificationType = z.enum([
  'mention',
  'comment',
  'task',
  'approval',
  'assignment',
  'flow',
  'system',
  'record',
])

/** One notification. */
export const Notification = z
  .object({
    id: z.string(),
    type: NotificationType,
    title: z.string(),
    body: z.string(),
    read: z.boolean(),
    data: z.record(z.string(), z.unknown()).meta({ description: 'object, recordId, feedId and more, by type.' }),
    actionUrl: z.string().optional(),
    createdAt: z.string(),
    readAt: z.string().optional(),
  })
  .meta({ id: 'Notification' })

/** How one user wants to be told. */
export const NotificationPreferences = z
  .object({
    email: z.boolean(),
    push: z.boolean(),
    inApp: z.boolean(),
    digest: z.enum(['none', 'daily', 'weekly']),
    channels: z.record(
      z.string(),
      z.object({
        enabled: z.boolean(),
        email: z.boolean().optional(),
        push: z.boolean().optional(),
        url: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'NotificationPreferences' })

/** A change of preferences; what is absent stays, and a channel given as null goes. */
const PreferencesPatch = z.strictObject({
  email: z.boolean().optional(),
  push: z.boolean().optional(),
  inApp: z.boolean().optional(),
  digest: z.enum(['none', 'daily', 'weekly']).optional(),
  channels: z
    .record(
      z.string().regex(/^[A-Za-z0-9_.:-]{1,100}$/),
      z
        .strictObject({
          enabled: z.boolean().optional(),
          email: z.boolean().optional(),
          push: z.boolean().optional(),
          url: z.string().max(2_000).optional(),
        })
        .nullable(),
    )
    .optional(),
})

const shared = {
  mount: 'versioned',
  permission: 'session',
  channel: 'notifications',
  tag: 'notifications',
  errors: [],
} as const

/** The inbox is closed to a caller without an active organization where there are organizations (D-41). */
const inInbox = { ...shared, errors: ['permission_denied'] } as const

const Preferences = z.object({ preferences: NotificationPreferences }).meta({ id: 'NotificationPreferencesAnswer' })
const ReadCount = z.object({ success: z.literal(true), readCount: z.int() }).meta({ id: 'NotificationsRead' })

/** The routes of the `notifications` plugin. */
export const notificationRoutes = defineRoutes({
  listNotifications: defineRoute({
    ...inInbox,
    operationId: 'listNotifications',
    method: 'GET',
    path: '/notifications',
    query: z.object({
      read: QueryBoolean.optional(),
      type: z.string().optional(),
      limit: QueryInteger.optional().meta({ description: '1 to 100, default 20.' }),
      cursor: z.string().optional(),
    }),
    response: z
      .object({
        notifications: z.array(Notification),
        unreadCount: z.int(),
        cursor: z.string().optional().meta({ description: 'The next page.' }),
        hasMore: z.boolean(),
      })
      .meta({ id: 'NotificationPage' }),
    rateLimit: 'read',
    summary: 'List one’s notifications, newest first.',
  }),
  readNotifications: defineRoute({
    ...inInbox,
    operationId: 'readNotifications',
    method: 'POST',
    path: '/notifications/read',
    body: z.object({ ids: z.array(z.string()).min(1).max(500) }),
    response: ReadCount,
    rateLimit: 'write',
    summary: 'Mark notifications as read.',
  }),
  readAllNotifications: defineRoute({
    ...inInbox,
    operationId: 'readAllNotifications',
    method: 'POST',
    path: '/notifications/read-all',
    aliases: [{ mount: 'versioned', path: '/notifications/read/all' }],
    response: ReadCount,
    rateLimit: 'write',
    summary: 'Mark every notification as read.',
  }),
  registerDevice: defineRoute({
    ...shared,
    operationId: 'registerDevice',
    method: 'POST',
    path: '/notifications/devices',
    body: z.object({
      token: z.string().min(1).max(4_096),
      platform: z.enum(['ios', 'android', 'web']),
      deviceId: z.string().max(200).optional(),
      name: z.string().max(200).optional(),
    }),
    response: z.object({ deviceId: z.string(), success: z.literal(true) }).meta({ id: 'DeviceRegistration' }),
    status: 201,
    rateLimit: 'write',
    summary: 'Register a device for push messages; the same token again changes its entry.',
  }),
  unregisterDevice: defineRoute({
    ...shared,
    operationId: 'unregisterDevice',
    method: 'DELETE',
    path: '/notifications/devices/:id',
    params: z.object({ id: z.string() }),
    response: z.object({ success: z.literal(true) }).meta({ id: 'DeviceRemoval' }),
    rateLimit: 'write',
    summary: 'Remove a device of one’s own.',
  }),
  getNotificationPreferences: defineRoute({
    ...shared,
    operationId: 'getNotificationPreferences',
    method: 'GET',
    path: '/notifications/preferences',
    response: Preferences,
    rateLimit: 'read',
    summary: 'One’s preferences.',
  }),
  updateNotificationPreferences: defineRoute({
    ...shared,
    operationId: 'updateNotificationPreferences',
    method: 'PATCH',
    path: '/notifications/preferences',
    body: z.object({ preferences: PreferencesPatch }),
    response: Preferences,
    rateLimit: 'write',
    // Addresses of channels are secrets, and kept sealed.
    keepsAnswer: 'in-memory',
    summary: 'Change preferences; what is not named stays.',
  }),
  replaceNotificationPreferences: defineRoute({
    ...shared,
    operationId: 'replaceNotificationPreferences',
    method: 'PUT',
    path: '/notifications/preferences',
    body: z.object({ preferences: PreferencesPatch }),
    response: Preferences,
    rateLimit: 'write',
    summary: 'The same as PATCH.',
  }),
  deleteNotification: defineRoute({
    ...inInbox,
    operationId: 'deleteNotification',
    method: 'DELETE',
    path: '/notifications/:id',
    params: z.object({ id: z.string() }),
    response: z.object({ id: z.string(), success: z.literal(true) }).meta({ id: 'NotificationDeletion' }),
    rateLimit: 'write',
    summary: 'Delete a notification of one’s own.',
  }),
})

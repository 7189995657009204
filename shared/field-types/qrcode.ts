// The field type `qrcode`: a text shown as a code image.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { textSettings, textualType } from './textual.ts'

/** The text in a code image; `barcodeFormat` chooses the image. @source D-94 */
export const qrcodeType: FieldType = textualType(
  {
    operators: 'E',
    flags: { search: 'never', sortable: true, groupable: false, aggregatable: 'none' },
    maxLength: 2_000,
    settings: {
      ...textSettings,
      maxLength: z.int().min(1).max(2_000).optional(),
      barcodeFormat: z.string().max(100).optional(),
    },
  },
  { takesAnyCell: true, listRank: null },
)

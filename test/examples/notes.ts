/** Notes in each of their forms: text and documents, text only, documents only (document: Note). */
import type { NotesPayload } from '../../schemas/index.js';

export const notes: NotesPayload = {
  import_supplier: 'SANDBOX_SUPPLIER',
  external_account_number: 'ACC-0001',
  notes: [
    {
      body: 'Meter was replaced in January.',
      document_paths: [{ document_path: '2024/meter-1.pdf' }, { document_path: '2024/meter-2.pdf' }],
      created_at: '2024-01-15T08:00:00Z',
      is_pinned: true,
      unpin_at: '2024-06-30T22:00:00Z',
    },
    { body: 'Called about the bill.' },
    { document_paths: [{ document_path: '2024/contract.pdf' }], created_at: '2024-01-16T08:00:00+02:00' },
  ],
};

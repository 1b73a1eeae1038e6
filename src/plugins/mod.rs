//! Every in-tree plugin of kube-scheduler v1.34's default profile, one file each.


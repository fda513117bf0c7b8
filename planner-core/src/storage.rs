//! Memory of maps and searches: owned arrays, boxed slices or borrowed slices, by one type parameter.
//!
//! Memory is counted in blocks of [`BLOCK`] vertices, so that one number sizes a two-bit map as well as the
//! nodes of a search: see [`capacity`].
//!
//! ```
//! use planner_core::prelude::*;
//!
//! // On a chip: a static that is all zero.
//! static NAVIGATOR: std::sync::Mutex<GridNavigator<{ capacity(64, 64) }>> =
//!     std::sync::Mutex::new(GridNavigator::new());
//! assert!(NAVIGATOR.lock().unwrap().begin((64, 64), Cell::new(0, 0), &[Cell::new(9, 9)]).is_ok());
//! ```

use core::{fmt::Debug, marker::PhantomData};

/// Vertices of a block.
pub const BLOCK: usize = 16;

/// One `T` for each vertex of a block.
pub type Block<T> = [T; BLOCK];

/// The kind of memory that a map or a search works in.
///
/// Implemented by [`Array`], `Boxed` (feature `alloc`) and [`Lent`].
pub trait Storage: Debug {
    /// A slice of `T` in this kind of memory.
    type Of<T: Copy + Debug + 'static>: AsRef<[T]> + AsMut<[T]> + Debug;
    /// The same as a search lends it to its functions: with its length in the type where that is known.
    type Nodes<T: Copy + Debug + 'static>: Nodes<Node = T> + ?Sized;

    /// Lends blocks of nodes.
    fn nodes<T: Copy + Debug + 'static>(of: &Self::Of<Block<T>>) -> &Self::Nodes<T>;

    /// Lends blocks of nodes, to be changed.
    fn nodes_mut<T: Copy + Debug + 'static>(of: &mut Self::Of<Block<T>>) -> &mut Self::Nodes<T>;
}

/// Nodes of a search, by id.
pub trait Nodes {
    /// Data of a vertex, or of a bucket head.
    type Node;

    /// The number of nodes.
    fn count(&self) -> usize;

    /// A node; `None` beyond the last.
    fn node(&self, id: usize) -> Option<&Self::Node>;

    /// A node, to be changed.
    fn node_mut(&mut self, id: usize) -> Option<&mut Self::Node>;
}

impl<T> Nodes for [T] {
    type Node = T;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn count(&self) -> usize {
        self.len()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn node(&self, id: usize) -> Option<&T> {
        self.get(id)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn node_mut(&mut self, id: usize) -> Option<&mut T> {
        self.get_mut(id)
    }
}

impl<T, const N: usize> Nodes for [Block<T>; N] {
    type Node = T;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn count(&self) -> usize {
        N * BLOCK
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn node(&self, id: usize) -> Option<&T> {
        self.as_flattened().get(id)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn node_mut(&mut self, id: usize) -> Option<&mut T> {
        self.as_flattened_mut().get_mut(id)
    }
}

/// Storage that can be created at run time.
pub trait Allocate: Storage {
    /// At least `len` elements, each a copy of `element`; an [`Array`] has its own length.
    fn allocate<T: Copy + Debug + 'static>(len: usize, element: T) -> Self::Of<T>;
}

/// An array of `N` blocks, part of the value that uses it. For statics.
#[derive(Debug)]
pub struct Array<const N: usize>;

impl<const N: usize> Storage for Array<N> {
    type Of<T: Copy + Debug + 'static> = [T; N];
    type Nodes<T: Copy + Debug + 'static> = [Block<T>; N];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nodes<T: Copy + Debug + 'static>(of: &[Block<T>; N]) -> &[Block<T>; N] {
        of
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nodes_mut<T: Copy + Debug + 'static>(of: &mut [Block<T>; N]) -> &mut [Block<T>; N] {
        of
    }
}

impl<const N: usize> Allocate for Array<N> {
    fn allocate<T: Copy + Debug + 'static>(_len: usize, element: T) -> [T; N] {
        [element; N]
    }
}

/// A boxed slice, sized at run time. For desktops.
#[cfg(feature = "alloc")]
#[derive(Debug)]
pub struct Boxed;

#[cfg(feature = "alloc")]
impl Storage for Boxed {
    type Of<T: Copy + Debug + 'static> = alloc::boxed::Box<[T]>;
    type Nodes<T: Copy + Debug + 'static> = [T];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nodes<T: Copy + Debug + 'static>(of: &alloc::boxed::Box<[Block<T>]>) -> &[T] {
        of.as_flattened()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nodes_mut<T: Copy + Debug + 'static>(of: &mut alloc::boxed::Box<[Block<T>]>) -> &mut [T] {
        of.as_flattened_mut()
    }
}

#[cfg(feature = "alloc")]
impl Allocate for Boxed {
    fn allocate<T: Copy + Debug + 'static>(len: usize, element: T) -> alloc::boxed::Box<[T]> {
        alloc::vec![element; len].into_boxed_slice()
    }
}

/// A slice borrowed from the caller.
#[derive(Debug)]
pub struct Lent<'m>(PhantomData<&'m mut ()>);

impl<'m> Storage for Lent<'m> {
    type Of<T: Copy + Debug + 'static> = &'m mut [T];
    type Nodes<T: Copy + Debug + 'static> = [T];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nodes<'a, T: Copy + Debug + 'static>(of: &'a &'m mut [Block<T>]) -> &'a [T] {
        of.as_flattened()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn nodes_mut<'a, T: Copy + Debug + 'static>(of: &'a mut &'m mut [Block<T>]) -> &'a mut [T] {
        of.as_flattened_mut()
    }
}

/// Blocks for a grid of `width` by `height` cells, whatever its moves and whichever search with up to
/// [`MAX_HEADS`] bucket heads: the `N` of [`Array`].
///
/// ```
/// use planner_core::storage::capacity;
///
/// assert_eq!(capacity(64, 64), 292);
/// ```
#[must_use]
pub const fn capacity(width: u16, height: u16) -> usize {
    blocks((width as usize + 1).saturating_mul(height as usize))
}

/// Blocks for a maze of `width` by `height` cells, which needs no border: the `N` of
/// [`MazeNavigator`](crate::navigator::MazeNavigator).
#[must_use]
pub const fn maze_capacity(width: u16, height: u16) -> usize {
    blocks((width as usize).saturating_mul(height as usize))
}

/// Blocks for so many vertices and [`MAX_HEADS`] bucket heads.
#[must_use]
pub const fn blocks(vertices: usize) -> usize {
    vertices.saturating_add(MAX_HEADS).div_ceil(BLOCK)
}

/// Bucket heads that [`capacity`] has room for: those of [`Buckets<16>`](crate::queue::Buckets).
pub const MAX_HEADS: usize = 512;

/// Implements `Default` for a type with a constant of all zero, by its `new`.
macro_rules! default_by_new {
    ([$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }
    };
}
pub(crate) use default_by_new;

/// The elements of some blocks.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn flat<T: Copy + Debug + 'static>(blocks: &impl AsRef<[Block<T>]>) -> &[T] {
    blocks.as_ref().as_flattened()
}

/// The elements of some blocks, to be changed.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn flat_mut<T: Copy + Debug + 'static>(blocks: &mut impl AsMut<[Block<T>]>) -> &mut [T] {
    blocks.as_mut().as_flattened_mut()
}
